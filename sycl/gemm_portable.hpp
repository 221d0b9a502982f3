// The portable GEMM backend: its tilings, and how it chooses between them.
//
// The bits of a product depend on its shape and on the kind of kernel: those for GPUs split a long inner dimension,
// those for CPUs do not. They depend on neither the tiling nor the number of replicas nor the device's size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sycl/gemm.hpp"

namespace cambium {

// A tile of C that one work-group computes, and the part of it that one work-item holds in registers.
struct GemmTiling {
  std::int64_t rows, columns, item_rows = 4, item_columns = 4;
  std::int64_t items() const { return rows / item_rows * (columns / item_columns); }
};

// From tall to low; all have the same columns.
inline constexpr std::array gemm_tilings{GemmTiling{128, 64}, GemmTiling{64, 64}, GemmTiling{32, 64},
                                         GemmTiling{16, 64, 2}};

// The index of the tiling for a product of `matrices` replicas and splits on a device of that size.
int choose_gemm_tiling(std::int64_t m, std::int64_t n, std::int64_t matrices, std::int64_t compute_units,
                       std::int64_t largest_group);

// The split of the inner dimension: a function of the shape alone.
struct GemmSplit {
  std::int64_t splits, depth;
};
GemmSplit gemm_split(std::int64_t m, std::int64_t n, std::int64_t k);

// A portable backend whose products are always computed in tiles of one tiling; with -1, the ordinary one.
std::unique_ptr<GemmBackend> make_portable_gemm(Device& device, int tiling);

}  // namespace cambium
