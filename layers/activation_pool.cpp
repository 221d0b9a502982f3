#include "layers/activation_pool.hpp"

#include "layers/activation_pool_arguments.hpp"
#include "layers/kernel_units.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit& unit_of(const Activation& activation) {
  return activation_pool_units[static_cast<std::size_t>(activation.kind)];
}

void check(const PoolShape& shape, std::size_t z, std::size_t h, std::size_t winner) {
  expect(z == shape.input_size() && h == shape.output_size() && winner == h,
         "activation_pool: {} inputs, {} outputs, {} winners for {} x {} images of {} x {} x {}", z, h, winner,
         shape.replicas, shape.rows, shape.height, shape.width, shape.channels);
}

}  // namespace

void activation_pool_forward(Device& device, const Activation& activation, const PoolShape& shape,
                             const ActivationNoise& noise, View<float> z, View<float> h, View<std::uint8_t> winner) {
  check(shape, z.size(), h.size(), winner.size());
  device.launch(Kernel(unit_of(activation), kernels::activation_pool_forward),
                {std::size_t{shape.replicas} * shape.rows, std::size_t{shape.output_height()} * shape.output_width(),
                 shape.channels},
                {z,
                 h,
                 {},
                 winner,
                 noise.seeds,
                 shape.rows,
                 shape.height,
                 shape.width,
                 shape.channels,
                 slope_of(activation, noise)});
}

void activation_pool_backward(Device& device, const Activation& activation, const PoolShape& shape,
                              const ActivationNoise& noise, View<float> h, View<std::uint8_t> winner,
                              View<const float> upstream, View<float> z) {
  check(shape, z.size(), h.size(), winner.size());
  expect(upstream.size() == h.size(), "activation_pool: {} gradients for {} outputs", upstream.size(), h.size());
  device.launch(Kernel(unit_of(activation), kernels::activation_pool_backward),
                {std::size_t{shape.replicas} * shape.rows,
                 (std::size_t{shape.height} + 1) / 2 * ((std::size_t{shape.width} + 1) / 2), shape.channels},
                {z, h, upstream, winner, noise.seeds, shape.rows, shape.height, shape.width, shape.channels,
                 slope_of(activation, noise)});
}

}  // namespace cambium
