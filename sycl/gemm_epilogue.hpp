// What a matrix product does with a sum before it writes it to C:
//   c := mask * phi(alpha * sum + beta * c + bias), with phi(x) = max(x, 0) or x
#pragma once

#include "sycl/kernel.hpp"

struct Epilogue {
  View<const float> bias, mask;  // (R, N) or empty, replicas `stride` apart
  uint64_t stride;
  float alpha, beta;
  uint32_t relu;
};

// `old` is the present value of c, `bias` and `mask` those of the column; each is ignored where the epilogue has none.
inline float finish(const Epilogue& e, float sum, float old, float bias, float mask) {
  float value = e.alpha * sum;
  if (e.beta != 0.0f) value += e.beta * old;
  if (!e.bias.empty()) value += bias;
  if (e.relu != 0) value = value > 0.0f ? value : 0.0f;
  if (!e.mask.empty()) value *= mask;
  return value;
}

// C[index] := what becomes of the sum; `unit` is its place in bias and mask. C is not read when beta is 0.
inline void store_sum(const Epilogue& e, const View<float>& c, uint64_t index, uint64_t unit, float sum) {
  c[index] = finish(e, sum, e.beta == 0.0f ? 0.0f : c[index], e.bias.empty() ? 0.0f : e.bias[unit],
                    e.mask.empty() ? 1.0f : e.mask[unit]);
}
