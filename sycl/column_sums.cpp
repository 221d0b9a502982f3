#include "sycl/column_sums.hpp"

#include <algorithm>

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit unit("sycl/column_sums.sycl");

// Columns up to this length are summed in one go, longer ones in this many parts.
constexpr std::size_t most_parts = 256;
// As in column_sums.sycl.
constexpr std::size_t lanes = 8, width = 32;

// Same layout as in column_sums.sycl.
struct Arguments {
  View<const float> x;
  View<float> sums;
  std::uint32_t rows, columns, chunk;
};

void launch(Device& device, View<const float> x, std::size_t replicas, std::size_t rows, std::size_t columns,
            std::size_t chunk, View<float> sums) {
  const std::size_t parts = std::max<std::size_t>((rows + chunk - 1) / chunk, 1);
  const Arguments arguments{x, sums, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns),
                            static_cast<std::uint32_t>(chunk)};
  if (device.portable_kernels() == PortableKernels::cpu)
    device.launch(unit, "column_sums", {replicas, parts, columns}, arguments);
  else
    device.launch_groups(unit, "column_sums_in_lanes", {replicas, parts, (columns + width - 1) / width},
                         {1, lanes, width}, arguments);
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
