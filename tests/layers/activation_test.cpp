#include "layers/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "selftest/conformance.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

constexpr ActivationShape shape{2, 8, 33};
constexpr std::size_t size = 2 * 8 * 33;

class Activations : public testing::Test {
 protected:
  Device& device = shared_device();
  std::vector<float> z = conformance::random_values(size, 1, 1);
  Buffer<std::uint32_t> seeds{device, std::vector<std::uint32_t>{1, 2}};

  ActivationNoise noise(bool training, std::uint64_t step = 0) const {
    return {.training = training, .layer = 1, .step = step, .seeds = seeds, .full_width = shape.units};
  }
  std::vector<float> forward(const Activation& activation, const ActivationNoise& noise, const std::vector<float>& in) {
    Buffer<float> values(device, in), h(device, size);
    activation_forward(device, activation, shape, noise, values, {}, {}, h);
    return h.download();
  }
  std::vector<float> derivative(const Activation& activation, const ActivationNoise& noise) {
    Buffer<float> values(device, z), gradient(device, std::vector<float>(size, 1.0f));
    Buffer<float> bias(device, 2 * 33);
    activation_backward(device, activation, shape, noise, values, {}, gradient, gradient, bias, {});
    return gradient.download();
  }
};

const Activation rsl{.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 0.6f};

TEST_F(Activations, DerivativeMatchesFiniteDifferencesWithTheSameRandomSlopes) {
  constexpr float step = 1e-2f;
  auto above = z, below = z;
  for (auto& value : above) value += step;
  for (auto& value : below) value -= step;
  const auto high = forward(rsl, noise(true), above), low = forward(rsl, noise(true), below);
  const auto analytic = derivative(rsl, noise(true));
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR((high[i] - low[i]) / (2 * step), analytic[i], 2e-3) << i;
}

TEST_F(Activations, RandomSlopesDependOnTheStepInTrainingOnly) {
  EXPECT_EQ(forward(rsl, noise(false, 1), z), forward(rsl, noise(false, 2), z));
  EXPECT_EQ(forward(rsl, noise(true, 1), z), forward(rsl, noise(true, 1), z));
  EXPECT_NE(forward(rsl, noise(true, 1), z), forward(rsl, noise(true, 2), z));
}

TEST_F(Activations, RandomSlopesWithEqualBoundsAreSmoothLeaky) {
  Activation fixed = rsl;
  fixed.lower = fixed.upper = 0.25f;
  const Activation smooth{.kind = Activation::Kind::smooth_leaky, .c = 2.0f, .p = 0.8f, .alpha = 0.25f};
  EXPECT_EQ(forward(fixed, noise(true), z), forward(smooth, noise(true), z));
  EXPECT_EQ(derivative(fixed, noise(true)), derivative(smooth, noise(true)));
}

TEST_F(Activations, SmoothLeakyTendsToItsSlopeAndToTheIdentity) {
  const Activation smooth{.kind = Activation::Kind::smooth_leaky, .c = 1.0f, .p = 1.0f, .alpha = 0.25f};
  auto extreme = z;
  extreme[0] = -80, extreme[1] = 80, extreme[2] = 0;
  const auto h = forward(smooth, noise(false), extreme);
  EXPECT_FLOAT_EQ(h[0], -20);
  EXPECT_FLOAT_EQ(h[1], 80);
  EXPECT_EQ(h[2], 0);
}

TEST_F(Activations, RandomSlopesOfAUnitDoNotDependOnCompaction) {
  const auto wide = forward(rsl, noise(true, 7), z);
  // A narrow layer that has units 1, 4, 7, ... of the wide one.
  const ActivationShape narrow{2, 8, 11};
  std::vector<float> inputs;
  std::vector<std::int32_t> units;
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t j = 0; j < 11; ++j) inputs.push_back(z[row * 33 + 1 + 3 * j]);
  for (int r = 0; r < 2; ++r)
    for (int j = 0; j < 11; ++j) units.push_back(1 + 3 * j);
  Buffer<float> values(device, inputs), h(device, inputs.size());
  Buffer<std::int32_t> device_units(device, units);
  auto compact = noise(true, 7);
  compact.full_width_unit = device_units;
  activation_forward(device, rsl, narrow, compact, values, {}, {}, h);
  const auto result = h.download();
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t j = 0; j < 11; ++j) EXPECT_EQ(result[row * 11 + j], wide[row * 33 + 1 + 3 * j]);
}

TEST_F(Activations, ReluMayOverwriteItsInput) {
  Buffer<float> values(device, z);
  activation_forward(device, {}, shape, {}, values, {}, {}, values);
  const auto h = values.download();
  for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(h[i], std::max(z[i], 0.0f));
}

}  // namespace
}  // namespace cambium
