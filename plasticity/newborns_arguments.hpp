// Arguments of newborns.sycl, which describes their shapes.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct CopyUnitsArguments {
  View<float> values;
  View<const std::int32_t> newborns, donors;
  std::uint32_t slots, rows, columns;
};
ASSERT_LAYOUT(CopyUnitsArguments, values, newborns, donors, slots, rows, columns);

}  // namespace cambium

DECLARE_KERNEL(copy_columns, CopyUnitsArguments)
DECLARE_KERNEL(copy_rows, CopyUnitsArguments)
