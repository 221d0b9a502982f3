// Finishes the sums of a matrix product inside kernels: see EpilogueArguments.
#pragma once

#include "sycl/gemm_arguments.hpp"
#include "sycl/kernel.hpp"

// `old` is the present value of c, `bias` and `mask` those of the column; each is ignored where the epilogue has none.
inline float finish(const EpilogueArguments& e, float sum, float old, float bias, float mask) {
  float value = e.alpha * sum;
  if (e.beta != 0.0f) value += e.beta * old;
  if (!e.bias.empty()) value += bias;
  if (e.relu != 0) value = value > 0.0f ? value : 0.0f;
  if (!e.mask.empty()) value *= mask;
  return value;
}

// C[index] := the epilogue of the sum; `unit` is its place in bias and mask. C is not read when beta is 0.
inline void store_sum(const EpilogueArguments& e, const View<float>& c, uint64_t index, uint64_t unit, float sum) {
  c[index] = finish(e, sum, e.beta == 0.0f ? 0.0f : c[index], e.bias.empty() ? 0.0f : e.bias[unit],
                    e.mask.empty() ? 1.0f : e.mask[unit]);
}
