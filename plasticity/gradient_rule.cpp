// Gradient: recruits the units whose pre-activations would get the largest gradients.
//   score(j) = mean over the images of |g[j]|, g the gradient of an image's own loss if the mask were 1

#include "plasticity/scores.hpp"
#include "plasticity/unit_sums.hpp"

namespace cambium {
namespace {

void score(const ScoringContext& context, std::size_t hidden_layer, View<float> scores) {
  const auto unmasked = counterfactual(context, hidden_layer);
  const auto width = context.network.layout().architecture.hidden[hidden_layer];
  absolute_columns(context.device, {unmasked.gradient, context.replicas(), context.rows(), width},
                   1.0f / static_cast<float>(context.rows()), scores);
}

}  // namespace

SelectionRule gradient_rule() {
  return {.name = "gradient",
          .help = "the size of the gradient that a unit would get",
          .needs_gradients = true,
          .score = score};
}

}  // namespace cambium
