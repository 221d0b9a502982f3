// Magnitude: a control. Recruits the units with the largest incoming weights.
//   score(j) = mean over all inputs of |W[j]|, including inactive units

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
          .score = [](const ScoringContext& context, std::size_t hidden_layer, View<float> scores) {
            incoming_magnitudes(context.device, context.network.layout(), context.parameters, hidden_layer, scores);
          }};
}

}  // namespace cambium
