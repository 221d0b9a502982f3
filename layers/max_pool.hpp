// Max-pooling with a 2 x 2 window and stride 2, channels last. A last odd row or column is left out.
#pragma once

#include <cstdint>

#include "sycl/memory.hpp"

namespace cambium {

class Device;

struct PoolShape {
  std::uint32_t images;  // over all replicas
  std::uint32_t height, width, channels;

  std::uint32_t output_height() const { return height / 2; }
  std::uint32_t output_width() const { return width / 2; }
  std::size_t input_size() const { return std::size_t{images} * height * width * channels; }
  std::size_t output_size() const { return std::size_t{images} * output_height() * output_width() * channels; }
};

// output (images, height / 2, width / 2, channels) := the largest of each window of input (images, height, width,
// channels), the first of equals in row-major order; winner, shaped like output, says which of the four it was.
void max_pool_forward(Device& device, const PoolShape& shape, View<const float> input, View<float> output,
                      View<std::uint8_t> winner);

// input_gradient := output_gradient at the winners, 0 elsewhere.
void max_pool_backward(Device& device, const PoolShape& shape, View<const float> output_gradient,
                       View<const std::uint8_t> winner, View<float> input_gradient);

}  // namespace cambium
