#include "plasticity/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cambium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

using Scores = std::vector<float>;
using Mask = std::vector<std::uint8_t>;

TEST(HighestInactive, AreSelectedInTheOrderOfTheirScores) {
  const auto choice = highest_inactive(Scores{1, 9, 3, 7, 5}, Mask{0, 1, 0, 0, 0}, 3);
  EXPECT_THAT(choice.units, ElementsAre(3, 4, 2));
  EXPECT_THAT(choice.scores, ElementsAre(7, 5, 3));
}

TEST(HighestInactive, TiesSelectTheLowerUnit) {
  const auto choice = highest_inactive(Scores{0, 2, 1, 2, 2, 0.0f, -0.0f}, Mask{0, 0, 0, 0, 0, 0, 0}, 5);
  EXPECT_THAT(choice.units, ElementsAre(1, 3, 4, 2, 0));
  EXPECT_THAT(choice.runner_up, Optional(0.0f));
}

TEST(HighestInactive, NanIsTheLowestScore) {
  const auto choice = highest_inactive(Scores{nan, -5, nan, 1}, Mask{0, 0, 0, 0}, 4);
  EXPECT_THAT(choice.units, ElementsAre(3, 1, 0, 2));
  EXPECT_TRUE(std::isnan(choice.scores[2]));  // told as it was
}

TEST(HighestInactive, ReturnTheScoreOfTheFirstUnitNotSelected) {
  EXPECT_THAT(highest_inactive(Scores{1, 9, 3, 7, 5}, Mask{0, 1, 0, 0, 0}, 2).runner_up, Optional(3.0f));
  EXPECT_THAT(highest_inactive(Scores{1, 9}, Mask{0, 0}, 0).runner_up, Optional(9.0f));
}

TEST(HighestInactive, SelectsAllWhenTheCountIsLarger) {
  const auto choice = highest_inactive(Scores{1, 9, 3}, Mask{0, 1, 0}, 5);
  EXPECT_THAT(choice.units, ElementsAre(2, 0));
  EXPECT_EQ(choice.runner_up, std::nullopt);
}

TEST(HighestInactive, SelectsNoneWithoutCandidatesOrWithACountOfZero) {
  EXPECT_THAT(highest_inactive(Scores{1, 2}, Mask{1, 1}, 2).units, IsEmpty());
  EXPECT_EQ(highest_inactive(Scores{1, 2}, Mask{1, 1}, 2).runner_up, std::nullopt);
  EXPECT_THAT(highest_inactive(Scores{1, 2}, Mask{0, 0}, 0).units, IsEmpty());
}

TEST(LowestActive, AreSelectedInTheOrderOfTheirScores) {
  const auto choice = lowest_active(Scores{4, 0, 3, 7, 5}, Mask{1, 0, 1, 1, 1}, 3);
  EXPECT_THAT(choice.units, ElementsAre(2, 0, 4));
  EXPECT_THAT(choice.scores, ElementsAre(3, 4, 5));
  EXPECT_THAT(choice.runner_up, Optional(7.0f));
}

TEST(LowestActive, TiesSelectTheLowerUnit) {
  EXPECT_THAT(lowest_active(Scores{3, 2, 1, 2, 2}, Mask{1, 1, 1, 1, 1}, 3).units, ElementsAre(2, 1, 3));
}

TEST(LowestActive, NanIsSelectedFirst) {
  EXPECT_THAT(lowest_active(Scores{1, nan, 0, nan}, Mask{1, 1, 1, 1}, 3).units, ElementsAre(1, 3, 2));
}

TEST(LowestActive, SelectsAllWhenTheCountIsLarger) {
  const auto choice = lowest_active(Scores{1, 9, 3}, Mask{1, 0, 1}, 3);
  EXPECT_THAT(choice.units, ElementsAre(0, 2));
  EXPECT_EQ(choice.runner_up, std::nullopt);
}

TEST(Choices, OrderInfiniteScoresLikeNumbers) {
  const Scores scores{0, infinity, -infinity};
  EXPECT_THAT(highest_inactive(scores, Mask{0, 0, 0}, 3).units, ElementsAre(1, 0, 2));
  EXPECT_THAT(lowest_active(scores, Mask{1, 1, 1}, 3).units, ElementsAre(2, 0, 1));
}

}  // namespace
}  // namespace cambium
