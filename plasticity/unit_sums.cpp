#include "plasticity/unit_sums.hpp"

#include "plasticity/kernel_units.hpp"
#include "plasticity/unit_sums_arguments.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

void launch(Device& device, KernelName<UnitSumsArguments> kernel, const Matrices<const float>& x,
            std::int64_t sums_each, float scale, View<float> sums) {
  expect(sums.size() == static_cast<std::size_t>(x.replicas * sums_each), "{}: {} sums for {} x ({}, {})", kernel.text,
         sums.size(), x.replicas, x.rows, x.columns);
  device.launch(Kernel(unit_sums_unit, kernel),
                Range3{1, static_cast<std::size_t>(x.replicas), static_cast<std::size_t>(sums_each)},
                {x.data, sums, static_cast<std::uint32_t>(x.replicas), static_cast<std::uint32_t>(x.rows),
                 static_cast<std::uint32_t>(x.columns), scale});
}

}  // namespace

void absolute_columns(Device& device, const Matrices<const float>& x, float scale, View<float> sums) {
  launch(device, kernels::absolute_columns, x, x.columns, scale, sums);
}

void add_squared_columns(Device& device, const Matrices<const float>& x, float scale, View<float> sums) {
  launch(device, kernels::add_squared_columns, x, x.columns, scale, sums);
}

void add_squared_rows(Device& device, const Matrices<const float>& x, float scale, View<float> sums) {
  launch(device, kernels::add_squared_rows, x, x.rows, scale, sums);
}

void square_roots(Device& device, View<float> values) {
  device.launch(Kernel(unit_sums_unit, kernels::square_roots), values.size(), {.sums = values});
}

}  // namespace cambium
