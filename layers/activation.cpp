#include "layers/activation.hpp"

#include "layers/activation_arguments.hpp"
#include "layers/kernel_units.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit& unit_of(const Activation& activation) {
  return activation_units[static_cast<std::size_t>(activation.kind)];
}

ActivationPlace place_of(const ActivationShape& shape, const ActivationNoise& noise) {
  return {noise.seeds, noise.full_width_unit, shape.replicas, shape.rows, shape.units, noise.full_width};
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

void check_per_unit(const ActivationShape& shape, std::size_t size, const char* what) {
  expect(size == std::size_t{shape.replicas} * shape.units, "{} has {} entries, the layer has {} x {} units", what,
         size, shape.replicas, shape.units);
}

}  // namespace

ActivationSlope slope_of(const Activation& activation, const ActivationNoise& noise) {
  const bool rsl = activation.kind == Activation::Kind::rsl;
  const float lower = rsl ? activation.lower : activation.alpha, upper = rsl ? activation.upper : activation.alpha;
  return {activation.c / activation.p,
          lower,
          upper,
          rsl && noise.training && lower != upper,
          noise.layer,
          static_cast<std::uint32_t>(noise.step),
          static_cast<std::uint32_t>(noise.step >> 32)};
}

void activation_forward(Device& device, const Activation& activation, const ActivationShape& shape,
                        const ActivationNoise& noise, View<float> z, View<const float> bias, View<const float> mask,
                        View<float> h) {
  check(activation, shape, noise, z.size());
  expect(h.size() == z.size(), "activation: {} outputs for {} inputs", h.size(), z.size());
  if (!bias.empty()) check_per_unit(shape, bias.size(), "bias");
  if (!mask.empty()) check_per_unit(shape, mask.size(), "mask");
  device.launch(Kernel(unit_of(activation), kernels::activation_forward), {shape.replicas, shape.rows, shape.units},
                {z, bias, mask, h, place_of(shape, noise), slope_of(activation, noise)});
}

void activation_backward(Device& device, const Activation& activation, const ActivationShape& shape,
                         const ActivationNoise& noise, View<const float> z, View<const float> mask,
                         View<const float> upstream, View<float> gradient, View<float> bias, GradientScale scale) {
  check(activation, shape, noise, z.size());
  expect(gradient.size() == z.size() && upstream.size() == z.size(), "activation: {} and {} gradients for {} outputs",
         upstream.size(), gradient.size(), z.size());
  if (!bias.empty()) check_per_unit(shape, bias.size(), "bias gradient");
  if (!mask.empty()) check_per_unit(shape, mask.size(), "mask");
  const ActivationBackwardArguments arguments{
      z, mask, upstream, gradient, bias, place_of(shape, noise), slope_of(activation, noise), scale.alpha, scale.beta};
  if (device.portable_kernels() == PortableKernels::cpu)
    device.launch(Kernel(unit_of(activation), kernels::activation_backward), {1, shape.replicas, shape.units},
                  arguments);
  else
    device.launch_groups(Kernel(unit_of(activation), kernels::activation_backward_in_lanes),
                         {1, shape.replicas, (shape.units + activation_width - 1) / activation_width},
                         {1, activation_lanes, activation_width}, arguments);
}

}  // namespace cambium
