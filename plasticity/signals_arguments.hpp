// Arguments of signals.sycl.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

//   output, gradient  (R, rows, units): h and dL/dz
//   active            (R)
struct ActivityArguments {
  View<const float> output, gradient;
  View<const std::int32_t> active;
  View<float> activation_rate, gradient_magnitude, mean_output;
  std::uint32_t replicas, rows, units;
  float tau;
};
ASSERT_LAYOUT(ActivityArguments, output, gradient, active, activation_rate, gradient_magnitude, mean_output, replicas,
              rows, units, tau);

//   weights, gradient, reference  R matrices of `each` elements; a unit's slice begins at unit * unit_stride and has
//                                 `length` elements that are `stride` apart; reference empty: no displacement
struct NormsArguments {
  View<const float> weights, gradient, reference;
  View<const std::int32_t> active;
  View<float> norm, gradient_norm, displacement;
  std::uint32_t replicas, units, length, unit_stride, stride, each;
};
ASSERT_LAYOUT(NormsArguments, weights, gradient, reference, active, norm, gradient_norm, displacement, replicas, units,
              length, unit_stride, stride, each);

}  // namespace cambium

DECLARE_KERNEL(activity, ActivityArguments)
DECLARE_KERNEL(norms, NormsArguments)
