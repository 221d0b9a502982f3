#include "sycl/column_sums.hpp"

#include <algorithm>

#include "sycl/column_sums_arguments.hpp"
#include "sycl/device.hpp"
#include "sycl/kernel_units.hpp"

namespace cambium {
namespace {

// Columns up to this length are summed in one go, longer ones in this many parts.
constexpr std::size_t most_parts = 256;

void launch(Device& device, View<const float> x, std::size_t replicas, std::size_t rows, std::size_t columns,
            std::size_t chunk, View<float> sums) {
  const std::size_t parts = std::max<std::size_t>((rows + chunk - 1) / chunk, 1);
  const ColumnSumsArguments arguments{x, sums, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns),
                                      static_cast<std::uint32_t>(chunk)};
  if (device.portable_kernels() == PortableKernels::cpu)
    device.launch(Kernel(column_sums_unit, kernels::column_sums), {replicas, parts, columns}, arguments);
  else
    device.launch_groups(Kernel(column_sums_unit, kernels::column_sums_in_lanes),
                         {replicas, parts, (columns + sum_width - 1) / sum_width}, {1, sum_lanes, sum_width},
                         arguments);
}

}  // namespace

void column_sums(Device& device, View<const float> x, std::size_t replicas, std::size_t rows, std::size_t columns,
                 View<float> sums, Workspace& workspace) {
  expect(x.size() == replicas * rows * columns && sums.size() == replicas * columns,
         "column_sums: {} elements into {} sums, for {} x ({}, {})", x.size(), sums.size(), replicas, rows, columns);
  if (rows <= most_parts) return launch(device, x, replicas, rows, columns, std::max<std::size_t>(rows, 1), sums);
  const std::size_t chunk = (rows + most_parts - 1) / most_parts, chunks = (rows + chunk - 1) / chunk;
  const auto partial = workspace.get(device, replicas * chunks * columns);
  launch(device, x, replicas, rows, columns, chunk, partial);
  launch(device, partial, replicas, chunks, columns, chunks, sums);
}

}  // namespace cambium
