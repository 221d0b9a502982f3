// The kernels' form of an activation function; part of the arguments of every kernel that applies one.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct ActivationSlope {
  float steepness, lower, upper;
  std::uint32_t random, layer, step_low, step_high;  // random: 1 if slopes are drawn
};
ASSERT_LAYOUT(ActivationSlope, steepness, lower, upper, random, layer, step_low, step_high);

}  // namespace cambium
