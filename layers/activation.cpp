#include "layers/activation.hpp"

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit units[] = {KernelUnit("layers/activation.sycl", {definition_of(Activation::Kind::relu)}),
                            KernelUnit("layers/activation.sycl", {definition_of(Activation::Kind::smooth_leaky)}),
                            KernelUnit("layers/activation.sycl", {definition_of(Activation::Kind::rsl)})};

// Same layouts as in activation.sycl.
struct Place {
  View<const std::uint32_t> seeds;
  View<const std::int32_t> full_width_unit;
  std::uint32_t replicas, rows, units, full_width;
};
struct Forward {
  View<float> z;
  View<const float> bias, mask;
  View<float> h;
  Place place;
  ActivationSlope slope;
};
// As in activation.sycl.
constexpr std::size_t width = 32, lanes = 8;

struct Backward {
  View<const float> z, mask, upstream;
  View<float> gradient, bias;
  Place place;
  ActivationSlope slope;
  float alpha, beta;
};

const KernelUnit& unit_of(const Activation& activation) { return units[static_cast<int>(activation.kind)]; }

Place place_of(const ActivationShape& shape, const ActivationNoise& noise) {
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

std::string name_of(Activation::Kind kind) {
  return kind == Activation::Kind::relu ? "relu" : kind == Activation::Kind::rsl ? "rsl" : "smooth_leaky";
}

std::string definition_of(Activation::Kind kind) { return "ACTIVATION=" + name_of(kind); }

void activation_forward(Device& device, const Activation& activation, const ActivationShape& shape,
                        const ActivationNoise& noise, View<float> z, View<const float> bias, View<const float> mask,
                        View<float> h) {
  check(activation, shape, noise, z.size());
  expect(h.size() == z.size(), "activation: {} outputs for {} inputs", h.size(), z.size());
  if (!bias.empty()) check_per_unit(shape, bias.size(), "bias");
  if (!mask.empty()) check_per_unit(shape, mask.size(), "mask");
  device.launch(unit_of(activation), "activation_forward", {shape.replicas, shape.rows, shape.units},
                Forward{z, bias, mask, h, place_of(shape, noise), slope_of(activation, noise)});
}

void activation_backward(Device& device, const Activation& activation, const ActivationShape& shape,
                         const ActivationNoise& noise, View<const float> z, View<const float> mask,
                         View<const float> upstream, View<float> gradient, View<float> bias, GradientScale scale) {
  check(activation, shape, noise, z.size());
  expect(gradient.size() == z.size() && upstream.size() == z.size(), "activation: {} and {} gradients for {} outputs",
         upstream.size(), gradient.size(), z.size());
  if (!bias.empty()) check_per_unit(shape, bias.size(), "bias gradient");
  if (!mask.empty()) check_per_unit(shape, mask.size(), "mask");
  const Backward arguments{
      z, mask, upstream, gradient, bias, place_of(shape, noise), slope_of(activation, noise), scale.alpha, scale.beta};
  if (device.portable_kernels() == PortableKernels::cpu)
    device.launch(unit_of(activation), "activation_backward", {1, shape.replicas, shape.units}, arguments);
  else
    device.launch_groups(unit_of(activation), "activation_backward_in_lanes",
                         {1, shape.replicas, (shape.units + width - 1) / width}, {1, lanes, width}, arguments);
}

}  // namespace cambium
