// GradMax-style: recruits the units whose parameters would get the largest gradient.
//   score(j) = |G(j)|, G the mean gradient of these parameters over the images if the mask were 1:
//     incoming weights  g[j] * h_before
//     bias              g[j]
//     outgoing weights  phi(z[j]) * g_after
// g_after, the gradient of the next layer's pre-activations, is zero for its inactive units.

#include "plasticity/scores.hpp"
#include "plasticity/unit_sums.hpp"

namespace cambium {
namespace {

void score(const ScoringContext& context, std::size_t hidden_layer, View<float> scores) {
  const auto unmasked = counterfactual(context, hidden_layer);
  const std::int64_t replicas = context.replicas(), rows = context.rows();
  const std::int64_t width = context.network.layout().architecture.hidden[hidden_layer];
  const Matrices<const float> gradient(unmasked.gradient, replicas, rows, width);
  const Matrices<const float> output(unmasked.output, replicas, rows, width);
  const auto before = context.network.input_of(context.pass, hidden_layer);
  const auto after = context.network.gradient_after(context.pass, hidden_layer);
  const float mean = 1.0f / static_cast<float>(rows);
  const auto product = [&](const Matrices<const float>& a, const Matrices<const float>& b, Buffer<float>& room) {
    const Matrices<float> result(room, replicas, a.columns, b.columns);
    gemm(context.device, Transpose::yes, Transpose::no, mean, a, b, 0.0f, result);
    return Matrices<const float>(result);
  };
  const auto make = [&](std::int64_t each) {
    return Buffer<float>(context.device, static_cast<std::size_t>(replicas * each));
  };
  upload(context.device, std::vector<float>(scores.size(), 0.0f), scores);
  auto incoming = make(before.columns * width), outgoing = make(width * after.columns), bias = make(width);
  const Buffer<float> ones(context.device, std::vector<float>(static_cast<std::size_t>(rows), 1.0f));
  const Matrices<const float> one(ones, replicas, rows, 1, 1, 0);
  add_squared_columns(context.device, product(before, gradient, incoming), 1.0f, scores);
  add_squared_columns(context.device, product(one, gradient, bias), 1.0f, scores);
  add_squared_rows(context.device, product(output, after, outgoing), 1.0f, scores);
  square_roots(context.device, scores);
}

}  // namespace

SelectionRule gradmax_rule() {
  return {.name = "gradmax",
          .help = "the size of the gradient that a unit's weights would get",
          .needs_gradients = true,
          .score = score};
}

}  // namespace cambium
