// Arguments of compaction.sycl, which describes their shapes.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct CompactionArguments {
  View<float> full, live;
  View<const std::int32_t> row_units, column_units;
  std::uint32_t rows, columns, full_rows, full_columns;
};
ASSERT_LAYOUT(CompactionArguments, full, live, row_units, column_units, rows, columns, full_rows, full_columns);

}  // namespace cambium

DECLARE_KERNEL(gather, CompactionArguments)
DECLARE_KERNEL(scatter, CompactionArguments)
