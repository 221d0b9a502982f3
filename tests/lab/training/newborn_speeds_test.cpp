#include "lab/training/newborn_speeds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cambium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Four cycles of two epochs; ten steps each.
RunConfig two_speed(const std::string& factor, const std::string& steps,
                    const std::string& first = "after_first_cycle") {
  return make_config({{"data", "mnist"},
                      {"method", "grow"},
                      {"cycles", "4"},
                      {"epochs_per_cycle", "2"},
                      {"batch", "6000"},
                      {"intervention", "two_speed"},
                      {"two_speed_r", factor},
                      {"two_speed_steps", steps},
                      {"first_edit", first}});
}

// A unit of the start, one of event 1, one of event 2, and one that is not active.
const BirthEvents births{{-1, 1, 2, -1}};

TEST(NewbornSpeeds, LastForTheConfiguredStepsFromTheBirth) {
  const auto config = two_speed("5", "7");
  const BirthEvents one_birth{{-1, 1, -1, -1}};
  EXPECT_THAT(newborn_speeds(config, one_birth, 1, 20).factors, ElementsAre(ElementsAre(1, 5, 1, 1)));
  EXPECT_EQ(newborn_speeds(config, one_birth, 1, 20).until, 27u);
  EXPECT_THAT(newborn_speeds(config, one_birth, 1, 26).factors, ElementsAre(ElementsAre(1, 5, 1, 1)));
  EXPECT_THAT(newborn_speeds(config, one_birth, 1, 27).factors, IsEmpty());
  EXPECT_EQ(newborn_speeds(config, one_birth, 1, 27).until, UINT64_MAX);
}

TEST(NewbornSpeeds, SeveralCohortsEndInTheirOrder) {
  const auto config = two_speed("5", "30");
  const auto both = newborn_speeds(config, births, 2, 45);
  EXPECT_THAT(both.factors, ElementsAre(ElementsAre(1, 5, 5, 1)));
  EXPECT_EQ(both.until, 50u);
  const auto second = newborn_speeds(config, births, 2, 50);
  EXPECT_THAT(second.factors, ElementsAre(ElementsAre(1, 1, 5, 1)));
  EXPECT_EQ(second.until, 70u);
}

TEST(NewbornSpeeds, AreEmptyBeforeTheFirstBirthAndForAFactorOfOne) {
  EXPECT_THAT(newborn_speeds(two_speed("5", "30"), {{-1, -1, -1, -1}}, 0, 3).factors, IsEmpty());
  EXPECT_THAT(newborn_speeds(two_speed("1", "30"), births, 2, 41).factors, IsEmpty());
}

TEST(NewbornSpeeds, IncludeUnitsBornBeforeTheFirstCycle) {
  const auto config = two_speed("0.5", "30", "before_first_cycle");
  EXPECT_THAT(newborn_speeds(config, {{-1, 0, -1}}, 1, 29).factors, ElementsAre(ElementsAre(1, 0.5, 1)));
  EXPECT_EQ(newborn_speeds(config, {{-1, 0, -1}}, 1, 29).until, 30u);
}

}  // namespace
}  // namespace cambium
