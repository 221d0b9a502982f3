#include "plasticity/scores.hpp"

#include "plasticity/kernel_units.hpp"
#include "plasticity/scores_arguments.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit& unit_of(const Activation& activation) {
  return score_units[static_cast<std::size_t>(activation.kind)];
}

ScorePlace place_of(const ScoringContext& context, std::size_t hidden_layer) {
  return {context.rows(), static_cast<std::uint32_t>(context.network.layout().architecture.hidden[hidden_layer]),
          context.replicas()};
}

}  // namespace

void activation_rates(const ScoringContext& context, std::size_t hidden_layer, View<float> scores) {
  const ScorePlace place = place_of(context, hidden_layer);
  context.device.launch(Kernel(unit_of(context.activation), kernels::activation_rates),
                        {1, place.replicas, place.units},
                        {context.network.observed(context.pass, hidden_layer).pre_activation, scores, place,
                         slope_of(context.activation, {}), context.tau});
}

Counterfactual counterfactual(const ScoringContext& context, std::size_t hidden_layer) {
  const ScorePlace place = place_of(context, hidden_layer);
  const auto observed = context.network.observed(context.pass, hidden_layer);
  Counterfactual result{Buffer<float>(context.device, observed.pre_activation.size()),
                        Buffer<float>(context.device, observed.pre_activation.size())};
  context.device.launch(Kernel(unit_of(context.activation), kernels::counterfactual),
                        {place.replicas, place.rows, place.units},
                        {observed.pre_activation, observed.output_gradient, result.output, result.gradient, place,
                         slope_of(context.activation, {})});
  return result;
}

}  // namespace cambium
