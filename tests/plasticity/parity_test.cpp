#include "plasticity/parity.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace cambium {
namespace {

constexpr auto newborn = Cohort::newborn, incumbent = Cohort::incumbent, kept = Cohort::kept, pruned = Cohort::pruned;
constexpr Moment at_exit{TimePoint::exit, 0, 0}, at_mask{TimePoint::post_mask, 0, 0}, at_post{TimePoint::post, 0, 0};

Moment age(double epochs) { return {TimePoint::age, static_cast<std::int64_t>(epochs * 100), epochs}; }
Moment end(double epochs) { return {TimePoint::end, static_cast<std::int64_t>(epochs * 100), epochs}; }

CohortRow row(const Moment& moment, Cohort cohort, double activation, double gradient = 1, int layer = 1, int event = 1,
              std::uint32_t seed = 7) {
  return {.seed = seed,
          .event = event,
          .layer = fmt::format("fc{}", layer),
          .moment = moment,
          .cohort = cohort,
          .size = 4,
          .activation_mean = activation,
          .gradient_mean = gradient,
          .activation_mean_8 = 10 * activation,
          .gradient_mean_8 = 100 * gradient};
}

// The value of the only row like this.
struct Asked {
  std::string quantity;
  Moment moment;
  std::string layer = "fc1";
  int event = 1, batches = 1;
};
double value(const Parities& all, const Asked& asked) {
  std::vector<double> found;
  for (const auto& row : all.rows)
    if (row.quantity == asked.quantity && row.moment == asked.moment && row.layer == asked.layer &&
        row.event == asked.event && row.batches == asked.batches)
      found.push_back(row.value);
  EXPECT_EQ(found.size(), 1u) << asked.quantity;
  return found.empty() ? -1e9 : found[0];
}
bool has(const Parities& all, const std::string& quantity, TimePoint point) {
  return std::any_of(all.rows.begin(), all.rows.end(),
                     [&](const auto& row) { return row.quantity == quantity && row.moment.point == point; });
}

TEST(Parity, IsTheRatioWithAnEpsilonInTheDenominatorAndItsNaturalLogarithm) {
  EXPECT_DOUBLE_EQ(parity_ratio(3, 1.5), 3 / (1.5 + 1e-8));
  EXPECT_DOUBLE_EQ(parity_ratio(2, 0), 2e8);
  EXPECT_DOUBLE_EQ(log_parity(1e-8, 0), 0);
  EXPECT_NEAR(log_parity(std::exp(2.0), 1), 2, 1e-7);
}

TEST(Parity, IsMissingForADeadCohort) {
  EXPECT_TRUE(std::isnan(parity_ratio(0, 1)));
  EXPECT_TRUE(std::isnan(log_parity(0, 1)));
}

TEST(Parities, GrowComparesNewbornWithIncumbentUnitsAtPostAndEveryAge) {
  const std::vector<CohortRow> rows{row(at_exit, incumbent, 0.4), row(at_post, newborn, 0.6, 0.1),
                                    row(at_post, incumbent, 0.3, 0.5), row(age(0.5), newborn, 0.2),
                                    row(age(0.5), incumbent, 0.4)};
  const auto all = parities(rows);
  EXPECT_DOUBLE_EQ(value(all, {"newborn_activation", at_post}), 0.6);
  EXPECT_DOUBLE_EQ(value(all, {"newborn_gradient", at_post}), 0.1);
  EXPECT_NEAR(value(all, {"activation_ratio", at_post}), 2, 1e-6);
  EXPECT_NEAR(value(all, {"activation_log_parity", at_post}), std::log(2), 1e-6);
  EXPECT_NEAR(value(all, {"gradient_ratio", at_post}), 0.2, 1e-6);
  EXPECT_NEAR(value(all, {"gradient_log_parity", at_post}), std::log(0.2), 1e-6);
  EXPECT_NEAR(value(all, {"activation_ratio", age(0.5)}), 0.5, 1e-6);
  EXPECT_FALSE(has(all, "activation_ratio", TimePoint::exit));
}

TEST(Parities, PruneComparesKeptWithPrunedUnitsAtExit) {
  const std::vector<CohortRow> rows{row(at_exit, kept, 0.6, 0.9), row(at_exit, pruned, 0.2, 0.3),
                                    row(at_post, kept, 0.5)};
  const auto all = parities(rows);
  EXPECT_DOUBLE_EQ(value(all, {"kept_activation", at_exit}), 0.6);
  EXPECT_DOUBLE_EQ(value(all, {"pruned_gradient", at_exit}), 0.3);
  EXPECT_NEAR(value(all, {"activation_log_parity", at_exit}), std::log(3), 1e-6);
  EXPECT_NEAR(value(all, {"gradient_log_parity", at_exit}), std::log(3), 1e-6);
  EXPECT_FALSE(has(all, "activation_ratio", TimePoint::post));
}

TEST(Parities, ExistAlsoForTheAverageOverBatches) {
  std::vector<CohortRow> rows{row(at_post, newborn, 0.6), row(at_post, incumbent, 0.3)};
  rows[0].activation_mean_8 = 0.9;
  rows[1].activation_mean_8 = 0.1;
  EXPECT_NEAR(value(parities(rows), {"activation_ratio", at_post, "fc1", 1, 8}), 9, 1e-5);
}

// The mean of logarithms, not the logarithm of a mean; ratios by themselves.
TEST(Parities, AreAveragedOverLayersAfterTheLogarithm) {
  const std::vector<CohortRow> rows{row(at_post, newborn, 0.8, 1, 1), row(at_post, incumbent, 0.1, 1, 1),
                                    row(at_post, newborn, 0.2, 1, 2), row(at_post, incumbent, 0.4, 1, 2)};
  const auto all = parities(rows);
  EXPECT_NEAR(value(all, {"activation_log_parity", at_post, "all"}), (std::log(8) + std::log(0.5)) / 2, 1e-6);
  EXPECT_NEAR(value(all, {"activation_ratio", at_post, "all"}), 4.25, 1e-6);
}

TEST(Parities, MeansLeaveDeadLayersOut) {
  const std::vector<CohortRow> rows{row(at_post, newborn, 0, 1, 1), row(at_post, incumbent, 0.1, 1, 1),
                                    row(at_post, newborn, 0.2, 1, 2), row(at_post, incumbent, 0.4, 1, 2)};
  const auto all = parities(rows);
  EXPECT_TRUE(std::isnan(value(all, {"activation_log_parity", at_post, "fc1"})));
  EXPECT_TRUE(std::isnan(value(all, {"activation_ratio", at_post, "fc1"})));
  EXPECT_NEAR(value(all, {"activation_log_parity", at_post, "all"}), std::log(0.5), 1e-6);
}

TEST(Parities, CountDeadCohortsOfEachSignalOnce) {
  const std::vector<CohortRow> rows{
      row(at_post, newborn, 0, 0), row(at_post, incumbent, 0.1), row(age(1), newborn, 0), row(age(1), incumbent, 0),
      row(age(2), newborn, 0),     row(age(2), incumbent, 1),    row(end(2), newborn, 0), row(end(2), incumbent, 1)};
  const auto summary = parities(rows).summaries[0];
  EXPECT_EQ(summary.dead_activation, 3) << "the end is the age of 2 epochs once more";
  EXPECT_EQ(summary.dead_gradient, 1);
}

// Newborn/incumbent = e^epochs at whole epochs, something else in between.
std::vector<CohortRow> aging(int epochs) {
  std::vector<CohortRow> rows{row(at_post, newborn, 1), row(at_post, incumbent, 1)};
  for (int e = 1; e <= epochs; ++e) {
    rows.push_back(row(age(e - 0.5), newborn, 1000));
    rows.push_back(row(age(e - 0.5), incumbent, 1));
    const Moment moment = e < epochs ? age(e) : end(e);
    rows.push_back(row(moment, newborn, std::exp(e)));
    rows.push_back(row(moment, incumbent, 1));
  }
  return rows;
}

TEST(EarlyParity, IsTheMeanLogParityOfAgesOfOneToFiveAndOneToTenWholeEpochs) {
  const auto all = parities(aging(12));
  EXPECT_NEAR(value(all, {"early_activation_log_parity_5", age(5)}), 3, 1e-6);
  EXPECT_NEAR(value(all, {"early_activation_log_parity_10", age(10)}), 5.5, 1e-6);
  EXPECT_NEAR(all.summaries[0].early_activation_5, 3, 1e-6);
  EXPECT_NEAR(all.summaries[0].early_activation_10, 5.5, 1e-6);
  EXPECT_NEAR(all.summaries[0].early_gradient_5, 0, 1e-6);
}

TEST(EarlyParity, UsesTheAvailableAgesOfAShortSegment) {
  EXPECT_NEAR(parities(aging(3)).summaries[0].early_activation_5, 2, 1e-6);
}

TEST(SegmentParity, AveragesAllWholeEpochsAndCountsTheEndOnce) {
  auto rows = aging(12);
  EXPECT_NEAR(parities(rows).summaries[0].segment_activation, 6.5, 1e-6);
  rows.push_back(row(age(12), newborn, std::exp(12)));
  rows.push_back(row(age(12), incumbent, 1));
  EXPECT_NEAR(parities(rows).summaries[0].segment_activation, 6.5, 1e-6);
}

class Survivors : public testing::Test {
 protected:
  std::vector<CohortRow> rows{row(at_exit, kept, 0.6), row(at_exit, pruned, 0.2), row(at_mask, kept, 0.5),
                              row(at_post, kept, 0.1), row(age(1), kept, 0.3),    row(end(2), kept, 0.4)};
};

TEST_F(Survivors, AreComparedBetweenPostAndEnd) {
  const auto all = parities(rows);
  EXPECT_NEAR(value(all, {"survivor_stability", at_post}), -0.3, 1e-12);
  EXPECT_NEAR(value(all, {"survivor_stability_log", at_post}), std::log(0.25), 1e-6);
  EXPECT_NEAR(all.summaries[0].survivor_stability, -0.3, 1e-12);
  EXPECT_NEAR(all.summaries[0].survivor_stability_log, std::log(0.25), 1e-6);
  EXPECT_NEAR(all.summaries[1].survivor_stability, -3, 1e-12) << "over 8 batches";
}

TEST_F(Survivors, AreComparedBetweenTheNewMaskAndExit) {
  const auto all = parities(rows);
  EXPECT_NEAR(value(all, {"mask_stability", at_mask}), -0.1, 1e-12);
  EXPECT_NEAR(value(all, {"mask_stability_log", at_mask}), std::log(0.5 / 0.6), 1e-6);
  EXPECT_NEAR(all.summaries[0].mask_stability, -0.1, 1e-12);
  EXPECT_NEAR(all.summaries[0].mask_stability_log, std::log(0.5 / 0.6), 1e-6);
}

TEST_F(Survivors, DeadAfterTheEventHaveADifferenceButNoLogarithm) {
  rows[3].activation_mean = 0;
  const auto all = parities(rows);
  EXPECT_NEAR(value(all, {"survivor_stability", at_post}), -0.4, 1e-12);
  EXPECT_TRUE(std::isnan(value(all, {"survivor_stability_log", at_post})));
}

TEST_F(Survivors, AreNotComparedBeforeTheEndIsKnown) {
  rows.pop_back();
  EXPECT_FALSE(has(parities(rows), "survivor_stability", TimePoint::post));
}

TEST(Parities, ReportFunctionShockAndLossChangeOfTheWholeNetwork) {
  std::vector<CohortRow> rows{row(at_exit, incumbent, 1), row(at_post, newborn, 1), row(at_post, incumbent, 1)};
  rows[0].loss = 0.5;
  for (int i : {1, 2}) rows[i].loss = 0.75, rows[i].logit_distance = 3;
  const auto all = parities(rows);
  EXPECT_EQ(value(all, {"function_shock", at_post, "all"}), 3);
  EXPECT_EQ(value(all, {"loss_change", at_post, "all"}), 0.25);
}

// Layers first, then events: an event with more layers counts no more than another.
TEST(Summaries, AreMeansOverEventsOfMeansOverLayersForEachSeed) {
  const std::vector<CohortRow> rows{row(at_post, newborn, 2, 1, 1, 1, 7), row(at_post, incumbent, 1, 1, 1, 1, 7),
                                    row(at_post, newborn, 8, 1, 2, 1, 7), row(at_post, incumbent, 1, 1, 2, 1, 7),
                                    row(at_post, newborn, 1, 1, 1, 2, 7), row(at_post, incumbent, 2, 1, 1, 2, 7),
                                    row(at_post, newborn, 4, 1, 1, 1, 3), row(at_post, incumbent, 1, 1, 1, 1, 3)};
  const auto summaries = parities(rows).summaries;
  ASSERT_EQ(summaries.size(), 4u);
  EXPECT_EQ(summaries[0].seed, 3u);
  EXPECT_EQ(summaries[1].batches, 8);
  EXPECT_NEAR(summaries[0].event_activation, std::log(4), 1e-6);
  EXPECT_EQ(summaries[2].seed, 7u);
  EXPECT_NEAR(summaries[2].event_activation, (2 * std::log(2) - std::log(2)) / 2, 1e-6);
  EXPECT_TRUE(std::isnan(summaries[2].early_activation_5));
}

TEST(Summaries, PruneUsesTheParityAtExit) {
  const auto summary = parities(std::vector{row(at_exit, kept, 4, 3), row(at_exit, pruned, 2, 1)}).summaries[0];
  EXPECT_NEAR(summary.event_activation, std::log(2), 1e-6);
  EXPECT_NEAR(summary.event_gradient, std::log(3), 1e-6);
}

TEST(Parities, RefuseADuplicateRow) {
  const auto twice = row(at_post, newborn, 1);
  EXPECT_THROW(parities(std::vector{twice, twice}), InputError);
}

}  // namespace
}  // namespace cambium
