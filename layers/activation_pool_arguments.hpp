// Arguments of activation_pool.sycl, which describes their shapes.
#pragma once

#include "layers/slope_arguments.hpp"

namespace cambium {

struct ActivationPoolArguments {
  View<float> z, h;
  View<const float> upstream;
  View<std::uint8_t> winner;
  View<const std::uint32_t> seeds;
  std::uint32_t rows, height, width, channels;
  ActivationSlope slope;
};
ASSERT_LAYOUT(ActivationPoolArguments, z, h, upstream, winner, seeds, rows, height, width, channels, slope);

}  // namespace cambium

DECLARE_KERNEL(activation_pool_forward, ActivationPoolArguments)
DECLARE_KERNEL(activation_pool_backward, ActivationPoolArguments)
