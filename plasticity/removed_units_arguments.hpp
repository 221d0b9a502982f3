// Arguments of removed_units.sycl, which describes their shapes.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct ClearRemovedArguments {
  View<float> values;
  View<const std::uint8_t> rows, columns;
  std::uint32_t row_count, column_count;
};
ASSERT_LAYOUT(ClearRemovedArguments, values, rows, columns, row_count, column_count);

}  // namespace cambium

DECLARE_KERNEL(clear_removed, ClearRemovedArguments)
