#include "plasticity/scores.hpp"

#include "plasticity/kernel_units.hpp"
#include "plasticity/scores_arguments.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit& unit_of(const Activation& activation) {
  return score_units[static_cast<std::size_t>(activation.kind)];
}

ScorePlace place_of(const ScoringContext& scene, std::size_t hidden_layer) {
  return {scene.rows, static_cast<std::uint32_t>(scene.network.layout().architecture.hidden[hidden_layer]),
          scene.replicas()};
}

}  // namespace

void activation_rates(const ScoringContext& scene, std::size_t hidden_layer, View<float> scores) {
  const ScorePlace place = place_of(scene, hidden_layer);
  scene.device.launch(
      Kernel(unit_of(scene.activation), kernels::activation_rates), {1, place.replicas, place.units},
      {scene.network.observed(hidden_layer).pre_activation, scores, place, slope_of(scene.activation, {}), scene.tau});
}

Counterfactual counterfactual(const ScoringContext& scene, std::size_t hidden_layer) {
  const ScorePlace place = place_of(scene, hidden_layer);
  const auto observed = scene.network.observed(hidden_layer);
  Counterfactual result{Buffer<float>(scene.device, observed.pre_activation.size()),
                        Buffer<float>(scene.device, observed.pre_activation.size())};
  scene.device.launch(Kernel(unit_of(scene.activation), kernels::counterfactual),
                      {place.replicas, place.rows, place.units},
                      {observed.pre_activation, observed.output_gradient, result.output, result.gradient, place,
                       slope_of(scene.activation, {})});
  return result;
}

}  // namespace cambium
