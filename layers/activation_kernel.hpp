// The activation functions inside kernels. ACTIVATION (relu, smooth_leaky, rsl) is a definition of the kernel unit.
#pragma once

#include <sycl/builtins.hpp>

#include "base/philox.hpp"
#include "layers/slope_arguments.hpp"
#include "sycl/kernel.hpp"

struct Function {
  float value, derivative;
};

inline Function relu(float z, float, float) { return {z > 0.0f ? z : 0.0f, z > 0.0f ? 1.0f : 0.0f}; }

inline Function smooth(float z, float slope, float steepness) {
  const float s = 1.0f / (1.0f + sycl::exp(-steepness * z));
  return {slope * z + (1.0f - slope) * z * s, slope + (1.0f - slope) * (s + steepness * z * s * (1.0f - s))};
}

// The slope at one element. In training, it is drawn for the index of the element in the layer's full-width (sample,
// unit, position) tensor of this step.
inline float slope_at(const ActivationSlope& slope, uint32_t element, uint32_t seed) {
  if (!slope.random) return 0.5f * (slope.lower + slope.upper);
  const auto random =
      philox::generate({{element, slope.layer, slope.step_low, slope.step_high}}, {{seed, philox::random_slopes}});
  return slope.lower + (slope.upper - slope.lower) * philox::uniform(random.word[0]);
}

#define relu_FUNCTION(z, slope, element, seed) relu(z, 0.0f, 0.0f)
#define smooth_leaky_FUNCTION(z, slope, element, seed) smooth(z, (slope).lower, (slope).steepness)
#define rsl_FUNCTION(z, slope, element, seed) smooth(z, slope_at(slope, element, seed), (slope).steepness)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
// The function and its derivative at z; `element` and `seed` are evaluated only if slopes are random.
#define FUNCTION JOIN(ACTIVATION, _FUNCTION)
