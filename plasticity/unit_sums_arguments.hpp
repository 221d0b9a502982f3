// Arguments of unit_sums.sycl, which describes their shapes.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct UnitSumsArguments {
  View<const float> x;
  View<float> sums;
  std::uint32_t replicas, rows, columns;
  float scale;
};
ASSERT_LAYOUT(UnitSumsArguments, x, sums, replicas, rows, columns, scale);

}  // namespace cambium

DECLARE_KERNEL(absolute_columns, UnitSumsArguments)
DECLARE_KERNEL(add_squared_columns, UnitSumsArguments)
DECLARE_KERNEL(add_squared_rows, UnitSumsArguments)
DECLARE_KERNEL(square_roots, UnitSumsArguments)
