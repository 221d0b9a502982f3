// Arguments of column_sums.sycl.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct ColumnSumsArguments {
  View<const float> x;
  View<float> sums;
  std::uint32_t rows, columns, chunk;
};
ASSERT_LAYOUT(ColumnSumsArguments, x, sums, rows, columns, chunk);

// Columns and lanes of a work-group of column_sums_in_lanes.
inline constexpr std::uint32_t sum_width = 32, sum_lanes = 8;

}  // namespace cambium

DECLARE_KERNEL(column_sums, ColumnSumsArguments)
DECLARE_KERNEL(column_sums_in_lanes, ColumnSumsArguments)
