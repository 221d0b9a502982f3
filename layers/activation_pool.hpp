// The activation of a convolution's output, fused with 2 x 2 max-pooling of stride 2, channels last, for R replicas.
//
// It reads the large tensor once instead of three times. The pooling ignores a last odd row or column.
#pragma once

#include <cstdint>

#include "layers/activation.hpp"

namespace cambium {

struct PoolShape {
  std::uint32_t replicas, rows;  // images of each replica
  std::uint32_t height, width, channels;

  std::uint32_t output_height() const { return height / 2; }
  std::uint32_t output_width() const { return width / 2; }
  std::size_t input_size() const { return std::size_t{replicas} * rows * height * width * channels; }
  std::size_t output_size() const { return std::size_t{replicas} * rows * output_height() * output_width() * channels; }
};

// h (R, rows, height / 2, width / 2, channels) := the largest phi(z) of each window of z (R, rows, height, width,
// channels), the first of equals in row-major order; winner, shaped like h, is the index of that element in the window.
void activation_pool_forward(Device& device, const Activation& activation, const PoolShape& shape,
                             const ActivationNoise& noise, View<float> z, View<float> h, View<std::uint8_t> winner);

// z := the gradient with respect to z: upstream * phi'(z) at the winners, 0 elsewhere. In place, because z is large and
// not needed again.
void activation_pool_backward(Device& device, const Activation& activation, const PoolShape& shape,
                              const ActivationNoise& noise, View<float> h, View<std::uint8_t> winner,
                              View<const float> upstream, View<float> z);

}  // namespace cambium
