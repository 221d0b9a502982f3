#include "lab/results/task_scores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/results/measures.hpp"

namespace cambium {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

RunConfig config_of(const std::string& stream, int tasks, const std::string& seeds = "1") {
  return make_config({{"stream", stream}, {"tasks", std::to_string(tasks)}, {"seeds", seeds}});
}

auto near(double value) { return DoubleNear(value, 1e-12); }

// Scores of a phase of one seed, given task by task.
class Phase {
 public:
  explicit Phase(const RunConfig& config) : config_(config) {}

  // An evaluation: the accuracies on the counting tasks so far.
  Phase& evaluated(const std::vector<double>& accuracy) {
    TaskEvaluation evaluation{.accuracy = accuracy};
    double sum = 0;
    for (std::size_t k = 0; k < accuracy.size(); ++k) {
      evaluation.tasks.push_back(static_cast<std::int32_t>(k));
      evaluation.images.push_back(100);
      sum += accuracy[k];
    }
    evaluation.cumulative = evaluation.pooled = {sum / static_cast<double>(accuracy.size())};
    scores.add(evaluation);
    return *this;
  }
  // A task: the online accuracy of each of its steps.
  Phase& task(const std::vector<double>& online) {
    OnlineSums sums;
    for (std::size_t step = 0; step < online.size(); ++step) sums.add(online[step], step, online.size());
    scores.add_task({sums});
    return *this;
  }
  // A measure of the only seed, by its name in result.json.
  double value(const std::string& name) const {
    for (const auto& entry : phase_measures())
      if (entry.measure.name == name && entry.applies(config_)) return entry.value(SeedScores(config_, scores, 0));
    ADD_FAILURE() << name << " does not apply";
    return NAN;
  }

  PhaseScores scores;

 private:
  RunConfig config_;
};

TEST(TaskScores, AccuracyIsTheLastMeanOverTasksAndTaaTheMeanOfThoseMeans) {
  const auto phase = Phase(config_of("split-fashion", 3))
                         .task({1.0})
                         .task({1.0})
                         .task({1.0})
                         .evaluated({0.9})
                         .evaluated({0.5, 0.7})
                         .evaluated({0.1, 0.3, 0.8});
  EXPECT_THAT(phase.value("accuracy"), near(0.4));
  EXPECT_THAT(phase.value("taa_tasks"), near((0.9 + 0.6 + 0.4) / 3));
}

TEST(TaskScores, ForgettingIsBestEarlierMinusLastAccuracyOfAllButTheLastTask) {
  // Task 1 is best at the second end, and the last task cannot be forgotten yet.
  const auto phase = Phase(config_of("split-fashion", 3))
                         .task({1.0})
                         .task({1.0})
                         .task({1.0})
                         .evaluated({0.6})
                         .evaluated({0.9, 0.7})
                         .evaluated({0.2, 0.8, 0.5});
  EXPECT_THAT(phase.value("forgetting"), near(((0.9 - 0.2) + (0.7 - 0.8)) / 2));
}

TEST(TaskScores, ASingleTaskHasNoForgettingAndNoEarlyTasks) {
  const auto config = config_of("permuted-mnist", 1);
  std::size_t found = 0;
  for (const auto& entry : phase_measures()) {
    if (entry.measure.name != "forgetting" && entry.measure.name != "early_tasks") continue;
    EXPECT_FALSE(entry.applies(config)) << entry.measure.name;
    ++found;
  }
  EXPECT_EQ(found, 2u);
}

TEST(TaskScores, OnlineAccuracyWeighsEveryStepOfAllTasksEqually) {
  const auto phase =
      Phase(config_of("permuted-mnist", 2)).task({0.0, 0.5, 1.0}).task({1.0}).evaluated({0.5}).evaluated({0.5, 0.5});
  EXPECT_THAT(phase.value("taoa"), near(2.5 / 4));
}

TEST(TaskScores, EarlyWindowsAreMeansOverTheFirstStepsOfEachTask) {
  // Of 20 steps, the first 10 % are two steps; the first 5 % and the first 1 % are one step.
  std::vector<double> rising, falling;
  for (int step = 0; step < 20; ++step) {
    rising.push_back(step / 20.0);
    falling.push_back(1 - step / 20.0);
  }
  const auto phase =
      Phase(config_of("permuted-mnist", 2)).task(rising).task(falling).evaluated({0.5}).evaluated({0.5, 0.5});
  EXPECT_THAT(phase.value("early_window_01"), near(0.5));
  EXPECT_THAT(phase.value("early_window_05"), near(0.5));
  EXPECT_THAT(phase.value("early_window_10"), near(((0 + 0.05) / 2 + (1 + 0.95) / 2) / 2));
}

TEST(TaskScores, AnEarlyWindowHasAWholeNumberOfStepsAndAtLeastOne) {
  EXPECT_EQ(early_steps(0.10, 30), 3u);
  EXPECT_EQ(early_steps(0.10, 39), 3u);
  EXPECT_EQ(early_steps(0.01, 99), 1u);
  EXPECT_EQ(early_steps(0.01, 1), 1u);
  EXPECT_EQ(early_steps(0.05, 30'000), 1500u);
}

TEST(TaskScores, EarlyTasksAreTheFirstFifthOfASplitStreamAndFourFifthsOfAShiftingOne) {
  Phase split(config_of("split-cifar100", 10)), shifting(config_of("random-label-mnist", 10));
  for (std::size_t task = 1; task <= 10; ++task)
    for (Phase* phase : {&split, &shifting})
      phase->task({1.0}).evaluated(std::vector<double>(task, 1.0 / static_cast<double>(task)));
  EXPECT_THAT(split.value("early_tasks"), near((1 + 0.5) / 2));
  double sum = 0;
  for (int task = 1; task <= 8; ++task) sum += 1.0 / task;
  EXPECT_THAT(shifting.value("early_tasks"), near(sum / 8));
}

// The study's value for a network that knows the current task perfectly and the earlier ones at chance level.
TEST(TaskScores, ANetworkThatKnowsOnlyTheCurrentTaskHasTheStudysEarlyTaskAccuracy) {
  const auto config = config_of("random-label-mnist", 50);
  Phase phase(config);
  for (std::size_t task = 1; task <= 50; ++task) {
    std::vector<double> known(task, 0.1);
    known.back() = 1.0;
    phase.task({1.0}).evaluated(known);
  }
  EXPECT_THAT(phase.value("early_tasks"), DoubleNear(0.1963, 5e-5));
}

TEST(TaskScores, AccuracyBetweenEvaluatedEndsIsInterpolatedLinearly) {
  const auto config = config_of("permuted-mnist", 120);
  Phase phase(config);
  double sum = 0;
  for (int task = 1; task <= 120; ++task) {
    phase.task({1.0});
    const double value = 1 - task / 200.0;  // linear, so interpolation is exact
    sum += value;
    if (is_evaluated(config, task - 1)) phase.evaluated(std::vector<double>(static_cast<std::size_t>(task), value));
  }
  EXPECT_THAT(phase.value("taa_tasks"), near(sum / 120));
}

TEST(TaskScores, StreamsOfMoreThanHundredTasksAreEvaluatedAfterTheFirstTenAndThenEveryTenth) {
  const auto config = config_of("permuted-mnist", 505);
  std::vector<std::int32_t> evaluated;
  for (std::int32_t task = 0; task < 505; ++task)
    if (is_evaluated(config, task)) evaluated.push_back(task + 1);
  EXPECT_EQ(evaluated.size(), 60u);  // 1 to 10, 49 multiples of ten from 20 to 500, and the last
  EXPECT_THAT(std::vector(evaluated.begin(), evaluated.begin() + 13),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40));
  EXPECT_EQ(evaluated.back(), 505);
}

TEST(TaskScores, OnlyHardTasksOfFivePlusOneCount) {
  const auto config = config_of("5+1-cifar", 4);
  EXPECT_EQ(counting_tasks(config, 4), 2);
  EXPECT_TRUE(is_evaluated(config, 0));
  EXPECT_FALSE(is_evaluated(config, 1));
  const auto phase = Phase(config)
                         .task({0.5, 0.5})
                         .task({1.0, 1.0})
                         .task({0.7, 0.7})
                         .task({1.0, 1.0})
                         .evaluated({0.8})
                         .evaluated({0.2, 0.6});
  EXPECT_THAT(phase.value("taoa"), near(0.6));
  EXPECT_THAT(phase.value("accuracy"), near(0.4));
  EXPECT_THAT(phase.value("taa_tasks"), near((0.8 + 0.4) / 2));
  EXPECT_THAT(phase.value("forgetting"), near(0.6));
}

}  // namespace
}  // namespace cambium
