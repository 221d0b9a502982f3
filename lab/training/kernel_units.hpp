// Every kernel unit of the program.
#pragma once

#include <vector>

#include "sycl/kernel_unit.hpp"

namespace cambium {

std::vector<const KernelUnit*> all_kernel_units();

}  // namespace cambium
