// Gradient: units whose pre-activation would get the largest gradients are recruited first.
//   score(j) = mean over the images of |g[j]|, g the gradient of an image's own loss if the mask were 1

#include "plasticity/scores.hpp"
#include "plasticity/unit_sums.hpp"

namespace cambium {
namespace {

void score(const ScoringContext& scene, std::size_t hidden_layer, View<float> scores) {
  const auto unmasked = counterfactual(scene, hidden_layer);
  const auto width = scene.network.layout().architecture.hidden[hidden_layer];
  absolute_columns(scene.device, {unmasked.gradient, scene.replicas(), scene.rows, width},
                   1.0f / static_cast<float>(scene.rows), scores);
}

}  // namespace

SelectionRule gradient_rule() {
  return {.name = "gradient",
          .help = "the size of the gradient that a unit would get",
          .needs_gradients = true,
          .score = score};
}

}  // namespace cambium
