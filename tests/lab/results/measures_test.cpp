// The registry of measures: names in files, labels for people, and values.

#include "lab/results/measures.hpp"

#include <gmock/gmock.h>

#include <set>

using namespace cambium;
using testing::DoubleNear;
using testing::ElementsAre;

namespace {

std::vector<std::string> phase_names(const ConfigText& keys) {
  const auto config = make_config(keys);
  std::vector<std::string> names;
  for (const auto& entry : phase_measures())
    if (entry.applies(config)) names.push_back(entry.measure.name);
  return names;
}

std::string label_with_unit(const std::string& name) { return find_measure(cell_measures(), name)->label_with_unit(); }

// The quantities that parities() forms of the cohorts of a GROW event and of a PRUNE event.
std::set<std::string> computed_quantities() {
  std::vector<CohortRow> rows;
  const auto add = [&](std::int32_t event, Cohort cohort, const Moment& moment) {
    rows.push_back({.seed = 1,
                    .event = event,
                    .layer = "fc1",
                    .moment = moment,
                    .cohort = cohort,
                    .size = 3,
                    .activation_mean = 0.5,
                    .gradient_mean = 0.5,
                    .activation_mean_8 = 0.5,
                    .gradient_mean_8 = 0.5,
                    .loss = 1,
                    .logit_distance = 1});
  };
  for (const auto point : {TimePoint::exit, TimePoint::post_mask, TimePoint::post, TimePoint::age, TimePoint::end}) {
    const Moment moment{point, point == TimePoint::age ? 10 : 20, point == TimePoint::age ? 1.0 : 2.0};
    for (const auto cohort : {Cohort::newborn, Cohort::incumbent}) add(1, cohort, moment);
    for (const auto cohort : {Cohort::kept, Cohort::pruned}) add(2, cohort, moment);
  }
  std::set<std::string> names;
  for (const auto& row : parities(rows).rows) names.insert(row.quantity);
  return names;
}

}  // namespace

TEST(Measures, OfAPhaseDependOnTheKindOfStream) {
  EXPECT_THAT(phase_names({{"stream", "mnist"}}), ElementsAre("accuracy", "taa_epochs", "taa_cycles"));
  EXPECT_THAT(phase_names({{"stream", "split-mnist"}}),
              ElementsAre("accuracy", "taa_epochs", "taa_tasks", "pooled_accuracy", "early_tasks", "forgetting", "taoa",
                          "early_window_01", "early_window_05", "early_window_10"));
  EXPECT_THAT(phase_names({{"stream", "permuted-mnist"}}),
              ElementsAre("accuracy", "taa_tasks", "pooled_accuracy", "early_tasks", "forgetting", "taoa",
                          "early_window_01", "early_window_05", "early_window_10"));
}

TEST(Measures, OfAWholeDataSetAverageEpochsAndCycles) {
  const auto config = make_config({{"stream", "mnist"},
                                   {"method", "grow"},
                                   {"compactness", "0.5"},
                                   {"epochs", "4"},
                                   {"cycles", "2"},
                                   {"seeds", "1..2"}});
  // Four epochs of two seeds. The cycles end after epochs 2 and 4.
  const PhaseScores scores{
      .test_accuracy = {0.1, 0.5, 0.2, 0.6, 0.4, 0.7, 0.5, 0.8}, .cumulative = {0.5, 0.8}, .pooled = {0.5, 0.8}};
  const auto values = phase_values(config, scores);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0].name, "accuracy");
  EXPECT_THAT(values[0].values, ElementsAre(0.5, 0.8));
  EXPECT_EQ(values[1].name, "taa_epochs");
  EXPECT_THAT(values[1].values, ElementsAre(DoubleNear(0.3, 1e-12), DoubleNear(0.65, 1e-12)));
  EXPECT_EQ(values[2].name, "taa_cycles");
  EXPECT_THAT(values[2].values, ElementsAre(DoubleNear(0.35, 1e-12), DoubleNear(0.7, 1e-12)));
}

TEST(Measures, GainsAreTicketMinusCycles) {
  const std::vector<MeasuredValues> cycles{{"accuracy", {0.5}}, {"taa_epochs", {0.25}}, {"taa_cycles", {0.125}}};
  const std::vector<MeasuredValues> ticket{{"accuracy", {0.75}}, {"taa_epochs", {0.5}}, {"taa_cycles", {0.625}}};
  const auto gains = gain_values(cycles, ticket);
  ASSERT_EQ(gains.size(), 4u);
  EXPECT_EQ(gains[0].name, "accuracy");
  EXPECT_THAT(gains[0].values, ElementsAre(0.25));
  EXPECT_THAT(gains[2].values, ElementsAre(0.5));
  EXPECT_EQ(gains[3].name, "taa_study");
  EXPECT_THAT(gains[3].values, ElementsAre(0.375)) << "all epochs of the ticket against the ends of the cycles";
}

TEST(Measures, OfCellsHaveLabelsAndUnits) {
  EXPECT_EQ(label_with_unit("accuracy"), "accuracy (%)");
  EXPECT_EQ(label_with_unit("average"), "average accuracy (%)");
  EXPECT_EQ(label_with_unit("ticket.taa"), "ticket TAA (%)");
  EXPECT_EQ(label_with_unit("gain.accuracy"), "accuracy, ticket − cycles (points)");
  EXPECT_EQ(label_with_unit("early_window_05"), "accuracy over the first 5 % of each task (%)");
  EXPECT_EQ(label_with_unit("parity.dead_gradient"), "cohorts without gradient");
  EXPECT_EQ(find_measure(cell_measures(), "gain.forgetting")->factor, 100);
  EXPECT_EQ(find_measure(cell_measures(), "parity.mask_stability")->factor, 1);
  EXPECT_EQ(find_measure(cell_measures(), "no_such_measure"), nullptr);
  EXPECT_EQ(measure_label("no_such_measure"), "no_such_measure");
}

TEST(Measures, HaveUniqueNames) {
  for (const auto* measures : {&cell_measures(), &event_quantities(), &epoch_columns()}) {
    const auto names = names_of(*measures);
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  }
}

TEST(Measures, AreRegisteredForExactlyTheQuantitiesOfEventsThatAreComputed) {
  const auto names = names_of(event_quantities());
  EXPECT_EQ(std::set(names.begin(), names.end()), computed_quantities());
}

TEST(Measures, OfEpochsAreColumnsOfTheTableAndKeysOfTheMetrics) {
  const auto config =
      make_config({{"stream", "mnist"}, {"hidden", "16"}, {"epochs", "2"}, {"batch", "2000"}, {"seeds", "7"}});
  EXPECT_EQ(epoch_table_header(architecture_of(config)),
            "run,method,variant,stream,compactness,seed,phase,cycle,task,epoch,step,lr,train_loss,train_accuracy,"
            "test_loss,test_accuracy,active_fc1,active_fc2\n");
  EpochRecord record{.phase = "cycles", .period = 2, .step = 60, .rate = 0.5};
  record.seeds = {{.train_loss = 1.5, .train_accuracy = 0.25, .test_loss = NAN, .test_accuracy = 0.5}};
  record.seeds.front().active_units = {3, 4};
  EXPECT_THAT(epoch_table_rows(record, config), testing::EndsWith(",7,cycles,1,1,2,60,0.5,1.5,0.25,,0.5,3,4\n"));
  EXPECT_EQ(metrics_line(record),
            "{\"phase\":\"cycles\",\"cycle\":1,\"task\":1,\"epoch\":2,\"step\":60,\"lr\":0.5,\"train_loss\":[1.5],"
            "\"train_accuracy\":[0.25],\"test_loss\":[null],\"test_accuracy\":[0.5],\"active_units\":[[3,4]]}\n");
}
