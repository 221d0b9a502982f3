// Arguments of the portable GEMM backend's kernels: gemm.sycl for GPUs, gemm_cpu.sycl for CPUs, sum_splits.sycl.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

// Distance in elements from one row, and from one replica, to the next.
struct MatrixStrides {
  std::uint64_t leading, stride;
};
ASSERT_LAYOUT(MatrixStrides, leading, stride);

// The operation on a sum before it is written to C:
//   c := mask * phi(alpha * sum + beta * c + bias), with phi(x) = max(x, 0) or x
struct EpilogueArguments {
  View<const float> bias, mask;  // (R, N) or empty, replicas `stride` apart
  std::uint64_t stride = 0;
  float alpha = 1.0f, beta = 0.0f;
  std::uint32_t relu = 0;
};
ASSERT_LAYOUT(EpilogueArguments, bias, mask, stride, alpha, beta, relu);

struct GemmTileArguments {
  View<const float> a, b;
  View<float> c;
  MatrixStrides a_strides, b_strides, c_strides;
  std::uint32_t m, n, k, splits, split_depth;
  std::uint32_t aligned_a, aligned_b, aligned_c;  // whether every row starts at a multiple of 16 bytes
  EpilogueArguments epilogue;
};
ASSERT_LAYOUT(GemmTileArguments, a, b, c, a_strides, b_strides, c_strides, m, n, k, splits, split_depth, aligned_a,
              aligned_b, aligned_c, epilogue);

struct GemmVectorArguments {
  View<const float> a, b;
  View<float> c;
  MatrixStrides a_strides, b_strides, c_strides;
  std::uint32_t m, n, k, tile_rows;
  EpilogueArguments epilogue;
};
ASSERT_LAYOUT(GemmVectorArguments, a, b, c, a_strides, b_strides, c_strides, m, n, k, tile_rows, epilogue);

// The rows of C that a work-group of the CPU's kernels computes at most.
inline constexpr std::uint32_t most_tile_rows = 128;

struct SumSplitsArguments {
  View<const float> partial;
  View<float> c;
  MatrixStrides c_strides;
  EpilogueArguments epilogue;
  std::uint32_t m, n, splits;
};
ASSERT_LAYOUT(SumSplitsArguments, partial, c, c_strides, epilogue, m, n, splits);

}  // namespace cambium

// The letters say whether A and B are transposed.
DECLARE_KERNEL(gemm_nn, GemmTileArguments)
DECLARE_KERNEL(gemm_nt, GemmTileArguments)
DECLARE_KERNEL(gemm_tn, GemmTileArguments)
DECLARE_KERNEL(gemm_tt, GemmTileArguments)
DECLARE_KERNEL(gemm_nn_in_vectors, GemmVectorArguments)
DECLARE_KERNEL(gemm_nt_in_vectors, GemmVectorArguments)
DECLARE_KERNEL(gemm_tn_in_vectors, GemmVectorArguments)
DECLARE_KERNEL(gemm_tt_in_vectors, GemmVectorArguments)
DECLARE_KERNEL(sum_splits, SumSplitsArguments)
