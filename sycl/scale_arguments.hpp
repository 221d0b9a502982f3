// Arguments of scale.sycl.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct ScaleArguments {
  View<float> c;
  std::uint64_t leading, stride;
  std::uint32_t replicas, rows, columns;
  float beta;
};
ASSERT_LAYOUT(ScaleArguments, c, leading, stride, replicas, rows, columns, beta);

}  // namespace cambium

DECLARE_KERNEL(scale, ScaleArguments)
