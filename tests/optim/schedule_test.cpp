#include "optim/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace cambium {
namespace {

constexpr Schedule cosine{.kind = Schedule::Kind::cosine, .rate = 0.1, .t_max = 200};

// Angles whose cosine has a closed form.
TEST(Schedule, CosinePassesThroughItsKnownValues) {
  EXPECT_FLOAT_EQ(cosine.at(0), 0.1f);
  EXPECT_FLOAT_EQ(cosine.at(50), static_cast<float>(0.1 * (2 + std::sqrt(2.0)) / 4));  // pi / 4
  EXPECT_FLOAT_EQ(cosine.at(100), 0.05f);                                              // pi / 2
  EXPECT_FLOAT_EQ(cosine.at(150), static_cast<float>(0.1 * (2 - std::sqrt(2.0)) / 4));
  EXPECT_NEAR(cosine.at(200), 0.0f, 1e-12);
}

TEST(Schedule, CosineIsTheSquareOfTheCosineOfHalfTheAngle) {
  // (1 + cos x) / 2 = cos^2(x / 2), another way to the same curve.
  for (int epoch = 0; epoch <= 200; ++epoch) {
    const double half = std::cos(3.14159265358979323846 * epoch / 400);
    EXPECT_NEAR(cosine.at(epoch), 0.1 * half * half, 1e-8) << epoch;
  }
}

TEST(Schedule, CosineRisesAgainBeyondItsEnd) {
  for (int epoch = 1; epoch < 200; ++epoch) EXPECT_NEAR(cosine.at(200 + epoch), cosine.at(200 - epoch), 1e-8) << epoch;
}

TEST(Schedule, RestartCountsEpochsFromZero) {
  Schedule restarting = cosine;
  restarting.restart_every = 40;
  for (int epoch = 0; epoch < 200; ++epoch) EXPECT_EQ(restarting.at(epoch), cosine.at(epoch % 40)) << epoch;
  EXPECT_NEAR(restarting.at(39), 0.1 * 0.90907, 1e-5);
}

TEST(Schedule, ConstantIgnoresTheOtherFields) {
  const Schedule constant{.kind = Schedule::Kind::constant, .rate = 0.25, .t_max = 3, .restart_every = 2};
  for (const int epoch : {0, 1, 2, 3, 1000}) EXPECT_EQ(constant.at(epoch), 0.25f);
}

}  // namespace
}  // namespace cambium
