#include "plasticity/unit_sums.hpp"

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit unit("plasticity/unit_sums.sycl");

// Same layout as in unit_sums.sycl.
struct Arguments {
  View<const float> x;
  View<float> sums;
  std::uint32_t replicas, rows, columns;
  float scale;
};

void launch(Device& device, const char* kernel, const Matrices<const float>& x, std::int64_t sums_each, float scale,
            View<float> sums) {
  expect(sums.size() == static_cast<std::size_t>(x.replicas * sums_each), "{}: {} sums for {} x ({}, {})", kernel,
         sums.size(), x.replicas, x.rows, x.columns);
  device.launch(unit, kernel, Range3{1, static_cast<std::size_t>(x.replicas), static_cast<std::size_t>(sums_each)},
                Arguments{x.data, sums, static_cast<std::uint32_t>(x.replicas), static_cast<std::uint32_t>(x.rows),
                          static_cast<std::uint32_t>(x.columns), scale});
}

}  // namespace

void absolute_columns(Device& device, const Matrices<const float>& x, float scale, View<float> sums) {
  launch(device, "absolute_columns", x, x.columns, scale, sums);
}

void add_squared_columns(Device& device, const Matrices<const float>& x, float scale, View<float> sums) {
  launch(device, "add_squared_columns", x, x.columns, scale, sums);
}

void add_squared_rows(Device& device, const Matrices<const float>& x, float scale, View<float> sums) {
  launch(device, "add_squared_rows", x, x.rows, scale, sums);
}

void square_roots(Device& device, View<float> values) {
  device.launch(unit, "square_roots", values.size(), Arguments{.sums = values});
}

}  // namespace cambium
