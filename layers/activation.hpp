// Activation functions of fully connected layers: h := phi(z + bias) and its gradient, for R replicas.
//
//   relu          max(z, 0)
//   smooth_leaky  alpha z + (1 - alpha) z sigmoid(c z / p)
//   rsl           smooth_leaky with a slope r instead of alpha. In training r is drawn from U(lower, upper) for every
//                 element on every pass; in evaluation it is (lower + upper) / 2
//
// The random slopes are a function of position (seed, layer, step, sample, unit), so the backward pass draws them again
// instead of reading them back. Units are numbered as in the full-width layer, so slopes do not depend on
// compaction. Convolutions have their activation fused with the pooling: layers/activation_pool.hpp.
#pragma once

#include <cstdint>

#include "layers/slope_arguments.hpp"
#include "sycl/memory.hpp"

namespace cambium {

class Device;

struct Activation {
  enum class Kind { relu, smooth_leaky, rsl };

  Kind kind = Kind::relu;
  float c = 1.0f, p = 1.0f;          // shape of the smooth kinds
  float alpha = 0.1f;                // smooth_leaky
  float lower = 0.3f, upper = 0.6f;  // rsl

  bool needs_pre_activation() const { return kind != Kind::relu; }
};

constexpr const char* name_of(Activation::Kind kind) {
  return kind == Activation::Kind::relu ? "relu" : kind == Activation::Kind::rsl ? "rsl" : "smooth_leaky";
}

struct ActivationShape {
  std::uint32_t replicas, rows, units;
};

// The position of a pass in the random streams. Only rsl in training uses it.
struct ActivationNoise {
  bool training = false;
  std::uint32_t layer = 0;  // activations are counted from the input side, from 0
  std::uint64_t step = 0;
  View<const std::uint32_t> seeds;           // (R)
  View<const std::int32_t> full_width_unit;  // (R, units); empty: unit i has number i
  std::uint32_t full_width = 0;              // units of the full-width layer
};

// z (R, rows, units) := z + bias (R, units); h := phi(z) * mask (R, units). `h` may be `z` itself if z is not needed
// again, as for relu. An empty bias or mask is ignored.
void activation_forward(Device& device, const Activation& activation, const ActivationShape& shape,
                        const ActivationNoise& noise, View<float> z, View<const float> bias, View<const float> mask,
                        View<float> h);

// How a parameter's gradient is added up: target := beta * target + alpha * gradient. With beta = 0 the target is
// not read.
struct GradientScale {
  float alpha = 1.0f, beta = 0.0f;
};

// gradient (R, rows, units) := upstream * mask * phi'(z), and its column sums go to bias (R, units), unless that is
// empty. `gradient` may be `upstream`. For relu, h may be passed as z.
void activation_backward(Device& device, const Activation& activation, const ActivationShape& shape,
                         const ActivationNoise& noise, View<const float> z, View<const float> mask,
                         View<const float> upstream, View<float> gradient, View<float> bias, GradientScale scale);

// The kernels' form of an activation.
ActivationSlope slope_of(const Activation& activation, const ActivationNoise& noise);

}  // namespace cambium
