// Behaviour of optimizers beyond the steps that tests/layers/network_test.cpp compares with PyTorch's.

#include "optim/optimizer.hpp"

#include <gtest/gtest.h>

#include "selftest/conformance.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

const Architecture architecture{"mlp", {3, 2, 1}, {}, {5, 4}, 3};

class Optimizers : public testing::TestWithParam<OptimizerSettings> {
 protected:
  Device& device = shared_device();
  Compaction compaction{device, architecture, Structure(architecture, 2)};
  std::vector<float> start = conformance::random_values(compaction.live().size, 1, 1);
  std::vector<float> gradient = conformance::random_values(compaction.live().size, 1, 2);

  // Parameters after one step from `start`, with the gradient at the optimizer's target.
  std::vector<float> after_step(Optimizer& optimizer, const UnitSpeeds& speeds) {
    Buffer<float> parameters(device, start);
    const auto target = optimizer.target(parameters, 0.1f, true);
    upload(device, gradient, target.linear);
    optimizer.step(parameters, 0.1f, speeds);
    return parameters.download();
  }
};

TEST_P(Optimizers, SpeedsScaleTheDisplacementOfAUnitsWeightsAndBiasOnce) {
  Optimizer plain(device, GetParam(), compaction), fast(device, GetParam(), compaction);
  const Buffer<float> ones1(device, std::vector<float>(10, 1.0f)), ones2(device, std::vector<float>(8, 1.0f));
  std::vector<float> first(10, 1.0f), second(8, 1.0f);
  first[2] = 5, second[3] = 5;  // unit 2 of fc1 and unit 3 of fc2, in the first replica
  const Buffer<float> speeds1(device, first), speeds2(device, second);
  const auto base = after_step(plain, {ones1.view(), ones2.view()});
  const auto scaled = after_step(fast, {speeds1.view(), speeds2.view()});
  const auto& full = compaction.full();
  const auto a = to_state_dict(full, start), b = to_state_dict(full, base), c = to_state_dict(full, scaled);
  for (std::size_t t = 0; t < a.size(); ++t) {
    const bool weight = a[t].shape.size() == 3;
    for (std::size_t i = 0; i < a[t].values.size(); ++i) {
      const std::size_t columns = weight ? static_cast<std::size_t>(a[t].shape[2]) : 1;
      const std::size_t units = static_cast<std::size_t>(a[t].shape[1]);
      const std::size_t input = i % columns, unit = i / columns % units, replica = i / columns / units;
      const bool into =
          replica == 0 && ((a[t].name.starts_with("fc1") && unit == 2) || (a[t].name.starts_with("fc2") && unit == 3));
      const bool out_of =
          replica == 0 && ((a[t].name == "fc2.weight" && input == 2) || (a[t].name == "fc3.weight" && input == 3));
      const double factor = into || out_of ? 5 : 1;
      EXPECT_NEAR(c[t].values[i] - a[t].values[i], factor * (double{b[t].values[i]} - a[t].values[i]), 2e-6)
          << a[t].name << " " << i;
    }
  }
}

TEST_P(Optimizers, SpeedsOfOneChangeNothing) {
  Optimizer plain(device, GetParam(), compaction), with_speeds(device, GetParam(), compaction);
  const Buffer<float> ones1(device, std::vector<float>(10, 1.0f)), ones2(device, std::vector<float>(8, 1.0f));
  std::vector<float> expected(start.size());
  if (GetParam().kind == OptimizerSettings::Kind::sgd && GetParam().momentum == 0.0f) {
    // Plain SGD without speeds is part of the matrix products; the formula replaces it here.
    for (std::size_t i = 0; i < start.size(); ++i) expected[i] = start[i] + -0.1f * gradient[i];
  } else {
    Buffer<float> parameters(device, start);
    upload(device, gradient, plain.target(parameters, 0.1f).linear);
    plain.step(parameters, 0.1f);
    expected = parameters.download();
  }
  const auto result = after_step(with_speeds, {ones1.view(), ones2.view()});
  // The state dict leaves out the gaps between parameters.
  const auto& full = compaction.full();
  const auto a = to_state_dict(full, result), b = to_state_dict(full, expected);
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t i = 0; i < a[t].values.size(); ++i)
      EXPECT_NEAR(a[t].values[i], b[t].values[i], 6e-8) << a[t].name;  // a multiplication may be fused with a sum
}

INSTANTIATE_TEST_SUITE_P(Kinds, Optimizers,
                         testing::Values(OptimizerSettings{}, OptimizerSettings{.momentum = 0.9f, .weight_decay = 0.1f},
                                         OptimizerSettings{.kind = OptimizerSettings::Kind::adam}),
                         [](const auto& test) {
                           return test.param.kind == OptimizerSettings::Kind::adam ? "Adam"
                                  : test.param.momentum == 0.0f                    ? "Sgd"
                                                                                   : "SgdMomentum";
                         });

TEST(Optimizer, AdamsStepCountsAreThoseOfEachLayer) {
  auto& device = shared_device();
  const Compaction compaction(device, architecture, Structure(architecture, 1));
  Optimizer optimizer(device, {.kind = OptimizerSettings::Kind::adam}, compaction);
  const auto size = compaction.live().size;
  Buffer<float> parameters(device, std::vector<float>(size, 0.0f));
  optimizer.set_steps({0, 9, 9});
  upload(device, std::vector<float>(size, 1.0f), optimizer.target(parameters, 0.1f).linear);
  optimizer.step(parameters, 0.1f);
  const auto after = to_state_dict(compaction.full(), parameters.download());
  // First step: m / (1 - beta1) = 1. Tenth step from zero moments: closed form of the corrections.
  const double m = 0.1 / (1 - std::pow(0.9, 10)), v = 0.001 / (1 - std::pow(0.999, 10));
  EXPECT_NEAR(after[0].values[0], -0.1, 1e-6);
  EXPECT_NEAR(after[2].values[0], -0.1 * m / std::sqrt(v), 1e-6);
  EXPECT_NEAR(after[5].values[0], -0.1 * m / std::sqrt(v), 1e-6);
  EXPECT_EQ(optimizer.steps(), (std::vector<std::uint64_t>{1, 10, 10}));
}

TEST(Optimizer, MomentsFollowTheirUnitThroughAnEdit) {
  auto& device = shared_device();
  Structure half(architecture, 1);
  half.set_mask(0, 0, std::vector<std::uint8_t>{1, 0, 1, 0, 1});
  Compaction compaction(device, architecture, half);
  Optimizer optimizer(device, {.kind = OptimizerSettings::Kind::adam}, compaction);
  PairedValues parameters = compaction.make_values();
  upload(device, std::vector<float>(compaction.live().size, 1.0f), optimizer.target(parameters.live, 0.1f).linear);
  optimizer.step(parameters.live, 0.1f);
  optimizer.scatter();
  compaction.restructure(Structure(architecture, 1));
  optimizer.gather();
  const auto first = to_state_dict(compaction.full(), optimizer.moments()[0].live.download());
  for (std::size_t unit = 0; unit < 5; ++unit) {
    EXPECT_FLOAT_EQ(first[1].values[unit], unit % 2 == 0 ? 0.1f : 0.0f) << "bias of unit " << unit;
    EXPECT_FLOAT_EQ(first[2].values[unit], unit % 2 == 0 ? 0.1f : 0.0f) << "outgoing weight of unit " << unit;
  }
}

}  // namespace
}  // namespace cambium
