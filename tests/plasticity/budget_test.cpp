#include "plasticity/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const Architecture mlp = make_architecture("mlp", {28, 28, 1}, 10);
const Architecture convnet = make_architecture("convnet", {32, 32, 3}, 100);

std::vector<std::int32_t> targets(const Architecture& architecture, const std::string& schedule, double compactness) {
  return unit_targets(architecture, compactness, bias_schedule(schedule, architecture.hidden.size()));
}

struct Row {
  const char* schedule;
  double compactness;
  std::vector<std::int32_t> units;
};

// Worked out by hand from the weight counts 2 097 152, 262 144 and 131 072.
const Row convnet_table[] = {{"neutral", 0.20, {102, 102, 51}},      {"neutral", 0.30, {154, 154, 77}},
                             {"neutral", 0.40, {205, 205, 102}},     {"neutral", 0.50, {256, 256, 128}},
                             {"fc1_protect", 0.20, {106, 106, 21}},  {"fc1_protect", 0.30, {159, 159, 32}},
                             {"fc1_protect", 0.40, {211, 211, 42}},  {"fc1_protect", 0.50, {264, 264, 53}},
                             {"fc3_protect", 0.20, {95, 95, 119}},   {"fc3_protect", 0.30, {142, 142, 178}},
                             {"fc3_protect", 0.40, {190, 190, 237}}, {"fc3_protect", 0.50, {242, 242, 256}},
                             {"ends_skewed", 0.20, {108, 54, 54}},   {"ends_skewed", 0.30, {162, 81, 81}},
                             {"ends_skewed", 0.40, {216, 108, 108}}, {"ends_skewed", 0.50, {270, 135, 135}}};

TEST(Budget, ConvNetHasTheTargetsOfTheTable) {
  for (const auto& row : convnet_table)
    EXPECT_EQ(targets(convnet, row.schedule, row.compactness), row.units) << row.schedule << " " << row.compactness;
}

TEST(Budget, MlpHasTheTargetsOfTheTable) {
  EXPECT_THAT(targets(mlp, "neutral", 0.2), ElementsAre(51, 51));
  EXPECT_THAT(targets(mlp, "neutral", 0.3), ElementsAre(77, 77));
  EXPECT_THAT(targets(mlp, "neutral", 0.4), ElementsAre(102, 102));
  EXPECT_THAT(targets(mlp, "neutral", 0.5), ElementsAre(128, 128));
}

TEST(Budget, FullBudgetKeepsEveryUnitUnderEverySchedule) {
  for (const auto& schedule : bias_schedule_names())
    EXPECT_EQ(targets(convnet, schedule, 1.0), convnet.hidden) << schedule;
  EXPECT_EQ(targets(mlp, "neutral", 1.0), mlp.hidden);
}

TEST(Budget, ATinyShareKeepsOneUnitPerLayer) { EXPECT_THAT(targets(convnet, "neutral", 1e-6), ElementsAre(1, 1, 1)); }

// In whole numbers: round(percent * width / 100), halves up.
TEST(Budget, NeutralKeepsTheSameShareOfEveryLayerWithHalvesRoundedUp) {
  for (std::int32_t width = 1; width <= 300; ++width)
    for (std::int32_t percent = 5; percent <= 100; percent += 5) {
      const std::int32_t expected = std::max(1, (2 * percent * width + 100) / 200);
      const auto architecture = make_architecture("mlp", {28, 28, 1}, 10, {width});
      ASSERT_THAT(targets(architecture, "neutral", percent / 100.0), ElementsAre(expected, expected))
          << percent << "% of " << width;
    }
}

TEST(Budget, KeptWeightsComeCloseToTheShareWhenALayerIsClipped) {
  const auto units = targets(convnet, "fc3_protect", 0.8);
  EXPECT_EQ(units[2], 256);
  const double kept = 4096.0 * units[0] + 512.0 * units[1] + 512.0 * units[2];
  EXPECT_NEAR(kept / 2'490'368, 0.8, 0.001);
}

TEST(Budget, AScheduleForAnotherNumberOfLayersIsRefused) {
  EXPECT_THAT(refusal([] { bias_schedule("fc1_protect", 2); }), AllOf(HasSubstr("fc1_protect"), HasSubstr("2")));
}

TEST(Budget, AnUnknownScheduleIsRefusedWithTheKnownOnes) {
  EXPECT_THAT(refusal([] { bias_schedule("fc2_protect", 3); }),
              AllOf(HasSubstr("fc2_protect"), HasSubstr("neutral, fc1_protect, fc3_protect, ends_skewed")));
}

}  // namespace
}  // namespace cambium
