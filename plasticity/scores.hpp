// What selection rules are made of: a hidden layer's units on the scoring batch, as if their masks were 1.
#pragma once

#include "plasticity/selection.hpp"

namespace cambium {

// scores (R, full width) := share of the images in which the unmasked output is above tau.
void activation_rates(const ScoringContext& scene, std::size_t hidden_layer, View<float> scores);

// What every unit would put out and receive if its mask were 1 and nothing else changed: phi(z), and the gradient of
// each image's own loss by the pre-activation, (R, rows, full width).
struct Counterfactual {
  Buffer<float> output, gradient;
};
Counterfactual counterfactual(const ScoringContext& scene, std::size_t hidden_layer);

}  // namespace cambium
