// The kernel units of this folder.
#pragma once

#include "sycl/kernel_unit.hpp"

namespace cambium {

inline constexpr KernelUnit sgd_unit{"optim/optimizer.sycl", {{"ADAM", 0}}};
inline constexpr KernelUnit adam_unit{"optim/optimizer.sycl", {{"ADAM", 1}}};

inline constexpr const KernelUnit* optimizer_kernel_units[] = {&sgd_unit, &adam_unit};

}  // namespace cambium
