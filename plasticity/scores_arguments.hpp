// Arguments of scores.sycl, which describes their shapes.
#pragma once

#include "layers/slope_arguments.hpp"

namespace cambium {

struct ScorePlace {
  std::uint32_t rows, units, replicas;
};
ASSERT_LAYOUT(ScorePlace, rows, units, replicas);

struct ActivationRatesArguments {
  View<const float> z;
  View<float> scores;
  ScorePlace place;
  ActivationSlope slope;
  float tau;
};
ASSERT_LAYOUT(ActivationRatesArguments, z, scores, place, slope, tau);

struct CounterfactualArguments {
  View<const float> z, upstream;
  View<float> output, gradient;
  ScorePlace place;
  ActivationSlope slope;
};
ASSERT_LAYOUT(CounterfactualArguments, z, upstream, output, gradient, place, slope);

}  // namespace cambium

DECLARE_KERNEL(activation_rates, ActivationRatesArguments)
DECLARE_KERNEL(counterfactual, CounterfactualArguments)
