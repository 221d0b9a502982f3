#include "layers/activation_pool.hpp"

#include "sycl/device.hpp"

namespace cambium {
namespace {

const char* const file = "layers/activation_pool.sycl";
const KernelUnit units[] = {KernelUnit(file, {definition_of(Activation::Kind::relu), "IS_RELU=1"}),
                            KernelUnit(file, {definition_of(Activation::Kind::smooth_leaky), "IS_RELU=0"}),
                            KernelUnit(file, {definition_of(Activation::Kind::rsl), "IS_RELU=0"})};

// Same layout as in activation_pool.sycl.
struct Arguments {
  View<float> z, h;
  View<const float> upstream;
  View<std::uint8_t> winner;
  View<const std::uint32_t> seeds;
  std::uint32_t rows, height, width, channels;
  ActivationSlope slope;
};

const KernelUnit& unit_of(const Activation& activation) { return units[static_cast<int>(activation.kind)]; }

void check(const PoolShape& shape, std::size_t z, std::size_t h, std::size_t winner) {
  expect(z == shape.input_size() && h == shape.output_size() && winner == h,
         "activation_pool: {} inputs, {} outputs, {} winners for {} x {} images of {} x {} x {}", z, h, winner,
         shape.replicas, shape.rows, shape.height, shape.width, shape.channels);
}

}  // namespace

void activation_pool_forward(Device& device, const Activation& activation, const PoolShape& shape,
                             const ActivationNoise& noise, View<float> z, View<float> h, View<std::uint8_t> winner) {
  check(shape, z.size(), h.size(), winner.size());
  device.launch(unit_of(activation), "activation_pool_forward",
                {std::size_t{shape.replicas} * shape.rows, std::size_t{shape.output_height()} * shape.output_width(),
                 shape.channels},
                Arguments{z,
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
  device.launch(unit_of(activation), "activation_pool_backward",
                {std::size_t{shape.replicas} * shape.rows,
                 (std::size_t{shape.height} + 1) / 2 * ((std::size_t{shape.width} + 1) / 2), shape.channels},
                Arguments{z, h, upstream, winner, noise.seeds, shape.rows, shape.height, shape.width, shape.channels,
                          slope_of(activation, noise)});
}

}  // namespace cambium
