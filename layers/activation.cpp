#include "layers/activation.hpp"

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit relu_unit("layers/activation.sycl", {"ACTIVATION=relu"});
const KernelUnit smooth_leaky_unit("layers/activation.sycl", {"ACTIVATION=smooth_leaky"});
const KernelUnit rsl_unit("layers/activation.sycl", {"ACTIVATION=rsl"});

// Same layout as in activation.sycl.
struct Slope {
  float steepness, lower, upper;
  std::uint32_t random, layer, step_low, step_high, full_width;
};

Slope slope_of(const Activation& activation, const ActivationNoise& noise) {
  const bool rsl = activation.kind == Activation::Kind::rsl;
  const float lower = rsl ? activation.lower : activation.alpha, upper = rsl ? activation.upper : activation.alpha;
  return {activation.c / activation.p,
          lower,
          upper,
          rsl && noise.training && lower != upper,
          noise.layer,
          static_cast<std::uint32_t>(noise.step),
          static_cast<std::uint32_t>(noise.step >> 32),
          noise.full_width};
}

const KernelUnit& unit_of(const Activation& activation) {
  switch (activation.kind) {
    case Activation::Kind::smooth_leaky:
      return smooth_leaky_unit;
    case Activation::Kind::rsl:
      return rsl_unit;
    default:
      return relu_unit;
  }
}

void check(const Activation& activation, const ActivationShape& shape, const ActivationNoise& noise, std::size_t size) {
  expect(size == std::size_t{shape.replicas} * shape.rows * shape.units, "activation: {} elements for {} x ({}, {})",
         size, shape.replicas, shape.rows, shape.units);
  if (slope_of(activation, noise).random == 0) return;
  expect(noise.seeds.size() == shape.replicas, "activation: {} seeds for {} replicas", noise.seeds.size(),
         shape.replicas);
  expect(noise.full_width_unit.empty() || noise.full_width_unit.size() == std::size_t{shape.replicas} * shape.units,
         "activation: {} unit numbers for {} x {} units", noise.full_width_unit.size(), shape.replicas, shape.units);
  expect(noise.full_width >= shape.units, "activation: {} units of a layer of {}", shape.units, noise.full_width);
}

}  // namespace

void activation_forward(Device& device, const Activation& activation, const ActivationShape& shape,
                        const ActivationNoise& noise, View<float> z, View<const float> bias, View<float> h) {
  check(activation, shape, noise, z.size());
  expect(h.size() == z.size(), "activation: {} outputs for {} inputs", h.size(), z.size());
  expect(bias.empty() || bias.size() == std::size_t{shape.replicas} * shape.units,
         "bias has {} entries, the layer has {} x {} units", bias.size(), shape.replicas, shape.units);
  device.launch(unit_of(activation), "activation_forward", {shape.replicas, shape.rows, shape.units}, z, bias, h, shape,
                slope_of(activation, noise), noise.seeds, noise.full_width_unit);
}

void activation_backward(Device& device, const Activation& activation, const ActivationShape& shape,
                         const ActivationNoise& noise, View<const float> z, View<float> gradient) {
  check(activation, shape, noise, z.size());
  expect(gradient.size() == z.size(), "activation: {} gradients for {} outputs", gradient.size(), z.size());
  device.launch(unit_of(activation), "activation_backward", {shape.replicas, shape.rows, shape.units}, z, gradient,
                shape, slope_of(activation, noise), noise.seeds, noise.full_width_unit);
}

}  // namespace cambium
