#include "plasticity/cohorts.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace cambium {
namespace {

using testing::ElementsAre;
constexpr auto none = Cohort::none, newborn = Cohort::newborn, incumbent = Cohort::incumbent, kept = Cohort::kept,
               pruned = Cohort::pruned;

const Architecture architecture{"mlp", {2, 2, 1}, {}, {5, 3}, 2};

Structure structure(const std::vector<std::vector<std::uint8_t>>& first_layer) {
  Structure result(architecture, static_cast<std::int32_t>(first_layer.size()));
  for (std::size_t r = 0; r < first_layer.size(); ++r) result.set_mask(0, static_cast<std::int32_t>(r), first_layer[r]);
  return result;
}

TEST(Cohorts, GrowHasNewbornsOfTheEventAndIncumbents) {
  const auto live = structure({{1, 0, 1, 1, 1}, {0, 1, 0, 0, 1}});
  const BirthEvents births{{-1, -1, 2, 1, 2, /**/ -1, 2, -1, -1, -1}, {-1, -1, -1, -1, -1, -1}};
  const auto cohorts = grow_cohorts(live, births, 2);
  // Units 0, 2, 3, 4 of the first replica; 1 and 4 of the second, then padding.
  EXPECT_THAT(cohorts[0], ElementsAre(incumbent, newborn, incumbent, newborn, newborn, incumbent, none, none));
  EXPECT_THAT(cohorts[1], testing::Each(incumbent));
}

TEST(Cohorts, AnEarlierEventExcludesLaterUnits) {
  const BirthEvents births{{-1, 1, 2, -1, -1}, {-1, -1, -1}};
  EXPECT_THAT(grow_cohorts(structure({{1, 1, 1, 0, 0}}), births, 1)[0], ElementsAre(incumbent, newborn, none));
}

TEST(Cohorts, PruneHasKeptAndPrunedUnitsAtExit) {
  const auto before = structure({{1, 1, 0, 1, 1}, {1, 1, 1, 0, 0}}),
             after = structure({{1, 0, 0, 1, 0}, {0, 1, 1, 0, 0}});
  EXPECT_THAT(prune_cohorts(before, before, after)[0],
              ElementsAre(kept, pruned, kept, pruned, pruned, kept, kept, none));
}

TEST(Cohorts, PruneHasOnlyKeptUnitsAfterTheEvent) {
  const auto before = structure({{1, 1, 0, 1, 1}}), after = structure({{1, 0, 0, 1, 0}});
  EXPECT_THAT(prune_cohorts(after, before, after)[0], ElementsAre(kept, kept));
}

TEST(CohortStatistics, AreMeanAndStandardDeviationOfTheMembers) {
  const std::vector<float> values{1, 100, 3, 8};
  const std::vector<Cohort> cohorts{newborn, incumbent, newborn, newborn};
  const auto result = cohort_statistics(values, cohorts, newborn);
  EXPECT_EQ(result.size, 3);
  EXPECT_DOUBLE_EQ(result.mean, 4);
  EXPECT_DOUBLE_EQ(result.deviation, std::sqrt((9.0 + 1 + 16) / 2));
}

TEST(CohortStatistics, OneUnitHasNoDeviation) {
  const auto result = cohort_statistics(std::vector<float>{1, 2}, std::vector{newborn, incumbent}, incumbent);
  EXPECT_EQ(result.size, 1);
  EXPECT_EQ(result.mean, 2);
  EXPECT_TRUE(std::isnan(result.deviation));
}

TEST(CohortStatistics, AnEmptyCohortHasNoMean) {
  const auto result = cohort_statistics(std::vector<float>{1, 2}, std::vector{kept, kept}, pruned);
  EXPECT_EQ(result.size, 0);
  EXPECT_TRUE(std::isnan(result.mean));
}

// Two replicas; in each layer every signal has its own factor, so that a value tells where it came from.
UnitSignals scaled(const std::vector<float>& base, float factor) {
  const auto times = [&](float by) {
    std::vector<float> values;
    for (const float value : base) values.push_back(value * factor * by);
    return values;
  };
  return {times(1), times(2), times(3), times(4), times(5), times(6), times(7), times(8), times(9)};
}

class CohortRows : public testing::Test {
 protected:
  UnitCohorts cohorts{{newborn, incumbent, newborn, /**/ incumbent, newborn, none}, {incumbent, incumbent}};
  std::vector<UnitSignals> signals{scaled({1, 2, 3, /**/ 4, 5, 0}, 1), scaled({6, 7}, 1)};
  std::vector<UnitSignals> averaged{scaled({1, 2, 3, /**/ 4, 5, 0}, 10), scaled({6, 7}, 10)};
  std::vector<double> loss{0.5, 0.25}, distance{2, 3};

  std::vector<CohortRow> rows() const {
    return cohort_rows({3, {TimePoint::age, 50, 0.5}, signals, averaged, loss, distance}, cohorts,
                       std::vector<std::uint32_t>{11, 12}, architecture);
  }
};

TEST_F(CohortRows, AreOnePerReplicaLayerAndCohortWithMembers) {
  std::vector<std::string> found;
  for (const auto& row : rows())
    found.push_back(fmt::format("{} {} {} {}", row.seed, row.layer, name_of(row.cohort), row.size));
  EXPECT_THAT(found, ElementsAre("11 fc1 newborn 2", "11 fc1 incumbent 1", "11 fc2 incumbent 1", "12 fc1 newborn 1",
                                 "12 fc1 incumbent 1", "12 fc2 incumbent 1"));
}

TEST_F(CohortRows, ContainTheMeanOfEverySignalAndTwoDeviations) {
  const auto row = rows()[0];
  EXPECT_DOUBLE_EQ(row.activation_mean, 2);
  EXPECT_DOUBLE_EQ(row.activation_sd, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(row.gradient_mean, 4);
  EXPECT_DOUBLE_EQ(row.gradient_sd, 2 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(row.activation_mean_8, 20);
  EXPECT_DOUBLE_EQ(row.activation_sd_8, 10 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(row.gradient_mean_8, 40);
  EXPECT_DOUBLE_EQ(row.gradient_sd_8, 20 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(row.output_mean, 6);
  EXPECT_DOUBLE_EQ(row.incoming_norm, 8);
  EXPECT_DOUBLE_EQ(row.outgoing_norm, 10);
  EXPECT_DOUBLE_EQ(row.incoming_gradient_norm, 12);
  EXPECT_DOUBLE_EQ(row.outgoing_gradient_norm, 14);
  EXPECT_DOUBLE_EQ(row.incoming_displacement, 16);
  EXPECT_DOUBLE_EQ(row.outgoing_displacement, 18);
}

TEST_F(CohortRows, ContainMomentBatchLossAndLogitDistance) {
  const auto row = rows()[4];
  EXPECT_EQ(row.event, 3);
  EXPECT_EQ(row.batch, 3);
  EXPECT_EQ(row.moment, (Moment{TimePoint::age, 50, 0.5}));
  EXPECT_EQ(row.loss, 0.25);
  EXPECT_EQ(row.logit_distance, 3);
}

TEST_F(CohortRows, LeaveOutSignalsThatWereNotMeasured) {
  for (auto& layer : signals) layer.incoming_displacement = {};
  distance = {};
  const auto row = rows()[0];
  EXPECT_TRUE(std::isnan(row.incoming_displacement));
  EXPECT_TRUE(std::isnan(row.logit_distance));
  EXPECT_DOUBLE_EQ(row.outgoing_displacement, 18);
}

}  // namespace
}  // namespace cambium
