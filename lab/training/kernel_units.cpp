#include "lab/training/kernel_units.hpp"

#include "optim/kernel_units.hpp"
#include "plasticity/kernel_units.hpp"
#include "streams/kernel_units.hpp"
#include "sycl/kernel_units.hpp"

namespace cambium {

std::vector<const KernelUnit*> all_kernel_units() {
  std::vector<const KernelUnit*> all;
  const auto add = [&](const auto& units) { all.insert(all.end(), std::begin(units), std::end(units)); };
  add(sycl_kernel_units);
  add(layer_kernel_units);
  add(optimizer_kernel_units);
  add(plasticity_kernel_units);
  add(stream_kernel_units);
  return all;
}

}  // namespace cambium
