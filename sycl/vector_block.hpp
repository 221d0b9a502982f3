// The inner loop of matrix products and convolutions on CPUs: a block of rows x (vectors * VECTOR) sums in registers.
//
// A work-item here is a whole work-group. It computes with explicit vectors of VECTOR floats, the width of the CPU's
// registers, instead of leaving it to the driver to find vectors across work-items. Each sum is one chain of fused
// multiply-adds in ascending order of the inner index, so its bits depend on neither rows nor VECTOR.
#pragma once

#include "sycl/kernel.hpp"

using Vector = float __attribute__((ext_vector_type(VECTOR)));
typedef float UnalignedVector __attribute__((ext_vector_type(VECTOR), aligned(4)));  // `using` drops the alignment

constexpr uint32_t vector_width = VECTOR;

inline Vector load_vector(const float* from) { return *reinterpret_cast<const UnalignedVector*>(from); }
inline void store_vector(float* to, Vector value) { *reinterpret_cast<UnalignedVector*>(to) = value; }

template <uint32_t rows, uint32_t vectors>
struct Block {
  Vector sum[rows][vectors];

  void clear() {
#pragma unroll
    for (uint32_t i = 0; i < rows; ++i)
#pragma unroll
      for (uint32_t j = 0; j < vectors; ++j) sum[i][j] = Vector(0.0f);
  }

  // sum[i][:] += a[i][l * a_step] * b[l * b_step + :] for l in 0 .. length - 1.
  void multiply(const float* const (&a)[rows], uint64_t a_step, const float* b, uint64_t b_step, uint32_t length) {
    for (uint32_t l = 0; l < length; ++l) {
      Vector right[vectors];
#pragma unroll
      for (uint32_t j = 0; j < vectors; ++j) right[j] = load_vector(b + l * b_step + j * vector_width);
#pragma unroll
      for (uint32_t i = 0; i < rows; ++i) {
        const Vector left = Vector(a[i][l * a_step]);
#pragma unroll
        for (uint32_t j = 0; j < vectors; ++j) sum[i][j] = __builtin_elementwise_fma(left, right[j], sum[i][j]);
      }
    }
  }

  void load(const float* from, uint64_t pitch) {
#pragma unroll
    for (uint32_t i = 0; i < rows; ++i)
#pragma unroll
      for (uint32_t j = 0; j < vectors; ++j) sum[i][j] = load_vector(from + i * pitch + j * vector_width);
  }
  void store(float* to, uint64_t pitch) const {
#pragma unroll
    for (uint32_t i = 0; i < rows; ++i)
#pragma unroll
      for (uint32_t j = 0; j < vectors; ++j) store_vector(to + i * pitch + j * vector_width, sum[i][j]);
  }
};
