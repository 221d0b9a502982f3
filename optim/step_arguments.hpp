// Arguments of optimizer.sycl.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

// A flat piece of the parameters, with its gradient and moments.
struct StepArguments {
  View<float> parameters;
  View<const float> gradient;
  View<float> first, second;                      // may be empty for SGD without momentum
  float rate, weight_decay, momentum;             // SGD
  float beta1, beta2, epsilon, root_correction2;  // Adam; its rate contains the first correction
};
ASSERT_LAYOUT(StepArguments, parameters, gradient, first, second, rate, weight_decay, momentum, beta1, beta2, epsilon,
              root_correction2);

// A weight matrix, or a bias as a matrix of one row.
struct StepWithSpeedsArguments {
  StepArguments step;
  View<const float> row_speeds, column_speeds;  // (R, rows), (R, columns) or empty
  std::uint32_t rows, columns;
};
ASSERT_LAYOUT(StepWithSpeedsArguments, step, row_speeds, column_speeds, rows, columns);

}  // namespace cambium

DECLARE_KERNEL(step, StepArguments)
DECLARE_KERNEL(step_with_speeds, StepWithSpeedsArguments)
