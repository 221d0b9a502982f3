// GradMax-style: units whose parameters would get the largest gradient are recruited first.
//   score(j) = |G(j)|, G the mean gradient of the incoming weights, the bias and the outgoing weights if the mask were
//   1: incoming  mean over the images of g[j] * h_before      bias  mean of g[j]      outgoing  mean of phi(z[j]) *
//   g_after
// g_after, the gradient of the next layer's pre-activations, is zero for its inactive units.

#include "plasticity/scores.hpp"
#include "plasticity/unit_sums.hpp"

namespace cambium {
namespace {

void score(const ScoringContext& scene, std::size_t hidden_layer, View<float> scores) {
  const auto unmasked = counterfactual(scene, hidden_layer);
  const std::int64_t replicas = scene.replicas(), rows = scene.rows;
  const std::int64_t width = scene.network.layout().architecture.hidden[hidden_layer];
  const Matrices<const float> gradient(unmasked.gradient, replicas, rows, width);
  const Matrices<const float> output(unmasked.output, replicas, rows, width);
  const auto before = scene.network.input_of(hidden_layer);
  const auto after = scene.network.gradient_after(hidden_layer);
  const float mean = 1.0f / static_cast<float>(rows);
  const auto product = [&](const Matrices<const float>& a, const Matrices<const float>& b, Buffer<float>& room) {
    const Matrices<float> result(room, replicas, a.columns, b.columns);
    gemm(scene.device, Transpose::yes, Transpose::no, mean, a, b, 0.0f, result);
    return Matrices<const float>(result);
  };
  const auto make = [&](std::int64_t each) {
    return Buffer<float>(scene.device, static_cast<std::size_t>(replicas * each));
  };
  upload(scene.device, std::vector<float>(scores.size(), 0.0f), scores);
  auto incoming = make(before.columns * width), outgoing = make(width * after.columns), bias = make(width);
  const Buffer<float> ones(scene.device, std::vector<float>(static_cast<std::size_t>(rows), 1.0f));
  const Matrices<const float> one(ones, replicas, rows, 1, 1, 0);
  add_squared_columns(scene.device, product(before, gradient, incoming), 1.0f, scores);
  add_squared_columns(scene.device, product(one, gradient, bias), 1.0f, scores);
  add_squared_rows(scene.device, product(output, after, outgoing), 1.0f, scores);
  square_roots(scene.device, scores);
}

}  // namespace

SelectionRule gradmax_rule() {
  return {.name = "gradmax",
          .help = "the size of the gradient that a unit's weights would get",
          .needs_gradients = true,
          .score = score};
}

}  // namespace cambium
