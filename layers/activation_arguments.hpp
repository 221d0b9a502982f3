// Arguments of activation.sycl, which describes their shapes.
#pragma once

#include "layers/slope_arguments.hpp"

namespace cambium {

struct ActivationPlace {
  View<const std::uint32_t> seeds;
  View<const std::int32_t> full_width_unit;
  std::uint32_t replicas, rows, units, full_width;
};
ASSERT_LAYOUT(ActivationPlace, seeds, full_width_unit, replicas, rows, units, full_width);

struct ActivationForwardArguments {
  View<float> z;
  View<const float> bias, mask;
  View<float> h;
  ActivationPlace place;
  ActivationSlope slope;
};
ASSERT_LAYOUT(ActivationForwardArguments, z, bias, mask, h, place, slope);

struct ActivationBackwardArguments {
  View<const float> z, mask, upstream;
  View<float> gradient, bias;
  ActivationPlace place;
  ActivationSlope slope;
  float alpha, beta;
};
ASSERT_LAYOUT(ActivationBackwardArguments, z, mask, upstream, gradient, bias, place, slope, alpha, beta);

// Units and lanes of a work-group of activation_backward_in_lanes.
inline constexpr std::uint32_t activation_width = 32, activation_lanes = 8;

}  // namespace cambium

DECLARE_KERNEL(activation_forward, ActivationForwardArguments)
DECLARE_KERNEL(activation_backward, ActivationBackwardArguments)
DECLARE_KERNEL(activation_backward_in_lanes, ActivationBackwardArguments)
