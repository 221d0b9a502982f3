// Building blocks of selection rules: signals of a hidden layer's units on the scoring batch, as if their masks were 1.
#pragma once

#include "plasticity/selection.hpp"

namespace cambium {

// scores (R, full width) := fraction of the images in which the unmasked output is above tau.
void activation_rates(const ScoringContext& context, std::size_t hidden_layer, View<float> scores);

// Output and gradient of each unit if its mask were 1 and nothing else changed: phi(z), and the gradient of each
// image's own loss with respect to the pre-activation, (R, rows, full width).
struct Counterfactual {
  Buffer<float> output, gradient;
};
Counterfactual counterfactual(const ScoringContext& context, std::size_t hidden_layer);

}  // namespace cambium
