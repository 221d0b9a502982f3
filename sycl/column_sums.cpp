#include "sycl/column_sums.hpp"

#include <algorithm>

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit unit("sycl/column_sums.sycl");

// Columns up to this length are summed by one work-item each, longer ones in this many parts.
constexpr std::size_t parts = 256;

void launch(Device& device, View<const float> x, std::size_t replicas, std::size_t rows, std::size_t columns,
            std::size_t chunk, View<float> sums) {
  device.launch(unit, "column_sums", {replicas, std::max<std::size_t>((rows + chunk - 1) / chunk, 1), columns}, x, sums,
                static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns),
                static_cast<std::uint32_t>(chunk));
}

}  // namespace

void column_sums(Device& device, View<const float> x, std::size_t replicas, std::size_t rows, std::size_t columns,
                 View<float> sums, Workspace& workspace) {
  expect(x.size() == replicas * rows * columns && sums.size() == replicas * columns,
         "column_sums: {} elements into {} sums, for {} x ({}, {})", x.size(), sums.size(), replicas, rows, columns);
  if (rows <= parts) return launch(device, x, replicas, rows, columns, std::max<std::size_t>(rows, 1), sums);
  const std::size_t chunk = (rows + parts - 1) / parts, chunks = (rows + chunk - 1) / chunk;
  const auto partial = workspace.get(device, replicas * chunks * columns);
  launch(device, x, replicas, rows, columns, chunk, partial);
  launch(device, partial, replicas, chunks, columns, chunks, sums);
}

}  // namespace cambium
