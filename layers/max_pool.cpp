#include "layers/max_pool.hpp"

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit unit("layers/max_pool.sycl");

void check(const PoolShape& shape, std::size_t input, std::size_t output, std::size_t winner) {
  expect(input == shape.input_size() && output == shape.output_size() && winner == output,
         "max_pool: {} inputs, {} outputs, {} winners for {} images of {} x {} x {}", input, output, winner,
         shape.images, shape.height, shape.width, shape.channels);
}

}  // namespace

void max_pool_forward(Device& device, const PoolShape& shape, View<const float> input, View<float> output,
                      View<std::uint8_t> winner) {
  check(shape, input.size(), output.size(), winner.size());
  device.launch(unit, "max_pool_forward",
                {shape.images, std::size_t{shape.output_height()} * shape.output_width(), shape.channels}, input,
                output, winner, shape);
}

void max_pool_backward(Device& device, const PoolShape& shape, View<const float> output_gradient,
                       View<const std::uint8_t> winner, View<float> input_gradient) {
  check(shape, input_gradient.size(), output_gradient.size(), winner.size());
  device.launch(unit, "max_pool_backward", {shape.images, std::size_t{shape.height} * shape.width, shape.channels},
                output_gradient, winner, input_gradient, shape);
}

}  // namespace cambium
