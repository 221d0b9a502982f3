#include "sycl/column_sums.hpp"

#include <algorithm>

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit unit("sycl/column_sums.sycl");

// Same layout as in column_sums.sycl.
struct Arguments {
  View<const float> x;
  View<float> sums;
  std::uint32_t rows, columns, chunk;
  float alpha, beta;
};

// Columns up to this length are summed by one work-item each, longer ones in this many parts.
constexpr std::size_t parts = 256;

void launch(Device& device, View<const float> x, std::size_t replicas, std::size_t rows, std::size_t columns,
            std::size_t chunk, View<float> sums, float alpha, float beta) {
  device.launch(unit, "column_sums", {replicas, std::max<std::size_t>((rows + chunk - 1) / chunk, 1), columns},
                Arguments{x, sums, static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns),
                          static_cast<std::uint32_t>(chunk), alpha, beta});
}

}  // namespace

void column_sums(Device& device, View<const float> x, std::size_t replicas, std::size_t rows, std::size_t columns,
                 View<float> sums, Workspace& workspace, float alpha, float beta) {
  expect(x.size() == replicas * rows * columns && sums.size() == replicas * columns,
         "column_sums: {} elements into {} sums, for {} x ({}, {})", x.size(), sums.size(), replicas, rows, columns);
  if (rows <= parts)
    return launch(device, x, replicas, rows, columns, std::max<std::size_t>(rows, 1), sums, alpha, beta);
  const std::size_t chunk = (rows + parts - 1) / parts, chunks = (rows + chunk - 1) / chunk;
  const auto partial = workspace.get(device, replicas * chunks * columns);
  launch(device, x, replicas, rows, columns, chunk, partial, 1.0f, 0.0f);
  launch(device, partial, replicas, chunks, columns, chunks, sums, alpha, beta);
}

}  // namespace cambium
