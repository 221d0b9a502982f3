#include "plasticity/scores.hpp"

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit units[] = {KernelUnit("plasticity/scores.sycl", {definition_of(Activation::Kind::relu)}),
                            KernelUnit("plasticity/scores.sycl", {definition_of(Activation::Kind::smooth_leaky)}),
                            KernelUnit("plasticity/scores.sycl", {definition_of(Activation::Kind::rsl)})};

// Same layouts as in scores.sycl.
struct Place {
  std::uint32_t rows, units, replicas;
};
struct RatesArguments {
  View<const float> z;
  View<float> scores;
  Place place;
  ActivationSlope slope;
  float tau;
};
struct CounterfactualArguments {
  View<const float> z, upstream;
  View<float> output, gradient;
  Place place;
  ActivationSlope slope;
};

const KernelUnit& unit_of(const Activation& activation) { return units[static_cast<int>(activation.kind)]; }

Place place_of(const ScoringContext& scene, std::size_t hidden_layer) {
  return {scene.rows, static_cast<std::uint32_t>(scene.network.layout().architecture.hidden[hidden_layer]),
          scene.replicas()};
}

}  // namespace

void activation_rates(const ScoringContext& scene, std::size_t hidden_layer, View<float> scores) {
  const Place place = place_of(scene, hidden_layer);
  scene.device.launch(unit_of(scene.activation), "activation_rates", {1, place.replicas, place.units},
                      RatesArguments{scene.network.observed(hidden_layer).pre_activation, scores, place,
                                     slope_of(scene.activation, {}), scene.tau});
}

Counterfactual counterfactual(const ScoringContext& scene, std::size_t hidden_layer) {
  const Place place = place_of(scene, hidden_layer);
  const auto observed = scene.network.observed(hidden_layer);
  Counterfactual result{Buffer<float>(scene.device, observed.pre_activation.size()),
                        Buffer<float>(scene.device, observed.pre_activation.size())};
  scene.device.launch(unit_of(scene.activation), "counterfactual", {place.replicas, place.rows, place.units},
                      CounterfactualArguments{observed.pre_activation, observed.output_gradient, result.output,
                                              result.gradient, place, slope_of(scene.activation, {})});
  return result;
}

}  // namespace cambium
