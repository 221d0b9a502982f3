// The kernel units of this folder.
#pragma once

#include "sycl/convolution_portable.hpp"
#include "sycl/gemm_portable.hpp"
#include "sycl/kernel_unit.hpp"

namespace cambium {

inline constexpr KernelUnit scale_unit{"sycl/scale.sycl"};
inline constexpr KernelUnit column_sums_unit{"sycl/column_sums.sycl"};

constexpr KernelUnit gemm_tile_unit(const GemmTiling& tiling) {
  return KernelUnit("sycl/gemm.sycl", {{"TILE_ROWS", tiling.rows},
                                       {"TILE_COLUMNS", tiling.columns},
                                       {"ROWS", tiling.item_rows},
                                       {"COLUMNS", tiling.item_columns}});
}
// In the order of gemm_tilings.
inline constexpr KernelUnit gemm_tile_units[] = {gemm_tile_unit(gemm_tilings[0]), gemm_tile_unit(gemm_tilings[1]),
                                                 gemm_tile_unit(gemm_tilings[2]), gemm_tile_unit(gemm_tilings[3])};
inline constexpr KernelUnit sum_splits_unit{"sycl/sum_splits.sycl"};
// As many accumulators as the registers of AVX-512 and of AVX2 hold.
inline constexpr KernelUnit wide_gemm_unit{"sycl/gemm_cpu.sycl", {{"VECTOR", 16}, {"ROWS", 8}}};
inline constexpr KernelUnit narrow_gemm_unit{"sycl/gemm_cpu.sycl", {{"VECTOR", 8}, {"ROWS", 6}}};

constexpr KernelUnit convolution_tile_unit(const TileSize& tile) {
  return KernelUnit("sycl/convolution.sycl", {{"TILE_ROWS", tile.rows}, {"TILE_COLUMNS", tile.columns}});
}
// In the order of convolution_tiles.
inline constexpr KernelUnit convolution_tile_units[] = {convolution_tile_unit(convolution_tiles[0]),
                                                        convolution_tile_unit(convolution_tiles[1]),
                                                        convolution_tile_unit(convolution_tiles[2])};
constexpr KernelUnit convolution_band_unit(int width, int rows, int weight_rows) {
  return KernelUnit(
      "sycl/convolution_cpu.sycl",
      {{"VECTOR", width}, {"ROWS", rows}, {"WEIGHT_ROWS", weight_rows}, {"BAND_FLOATS", convolution_band_floats}});
}
// As many accumulators as the registers of AVX-512 and of AVX2 hold. Nine rows suit 3 x 3 kernels of three channels.
inline constexpr KernelUnit wide_convolution_unit = convolution_band_unit(16, 8, 9);
inline constexpr KernelUnit narrow_convolution_unit = convolution_band_unit(8, 6, 6);
inline constexpr KernelUnit transpose_weights_unit{"sycl/transpose_weights.sycl"};

inline constexpr const KernelUnit* sycl_kernel_units[] = {&scale_unit,
                                                          &column_sums_unit,
                                                          &gemm_tile_units[0],
                                                          &gemm_tile_units[1],
                                                          &gemm_tile_units[2],
                                                          &gemm_tile_units[3],
                                                          &sum_splits_unit,
                                                          &wide_gemm_unit,
                                                          &narrow_gemm_unit,
                                                          &convolution_tile_units[0],
                                                          &convolution_tile_units[1],
                                                          &convolution_tile_units[2],
                                                          &wide_convolution_unit,
                                                          &narrow_convolution_unit,
                                                          &transpose_weights_unit};

}  // namespace cambium
