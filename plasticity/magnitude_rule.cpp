// Magnitude: a control. Units with the largest incoming weights are recruited first.
//   score(j) = mean over all inputs of |W[j]|, also those from inactive units

#include "plasticity/selection.hpp"
#include "plasticity/unit_sums.hpp"

namespace cambium {

void incoming_magnitudes(Device& device, const ParameterLayout& full, View<const float> parameters,
                         std::size_t hidden_layer, View<float> scores) {
  const std::size_t index = full.architecture.trunk.size() + hidden_layer;
  const auto& layer = full.layers[index];
  absolute_columns(device, {full.weights(parameters, index), full.replicas, layer.inputs, layer.units},
                   1.0f / static_cast<float>(layer.inputs), scores);
}

SelectionRule magnitude_rule() {
  return {.name = "magnitude",
          .help = "the mean size of a unit's incoming weights",
          .score = [](const ScoringContext& scene, std::size_t hidden_layer, View<float> scores) {
            incoming_magnitudes(scene.device, scene.network.layout(), scene.parameters, hidden_layer, scores);
          }};
}

}  // namespace cambium
