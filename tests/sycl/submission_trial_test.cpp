#include "sycl/submission_trial.hpp"

#include <gtest/gtest.h>

namespace cambium {
namespace {

// Steps whose time depends on the way of submission.
struct Steps {
  double direct, graph;
  double time = 0;
  int taken = 0;
  SubmissionTrial trial{[this] { return time; }};

  void take() {
    trial.step_begins();
    time += trial.use_graph() ? graph : direct;
    trial.step_ends();
    ++taken;
  }
  void take_until_decided() {
    while (!trial.decided() && taken < 10000) take();
  }
};

TEST(SubmissionTrial, ChoosesTheFasterWay) {
  Steps graph_wins{.direct = 3e-3, .graph = 2e-3}, direct_wins{.direct = 2e-3, .graph = 3e-3};
  graph_wins.take_until_decided();
  direct_wins.take_until_decided();
  EXPECT_TRUE(graph_wins.trial.use_graph());
  EXPECT_FALSE(direct_wins.trial.use_graph());
  EXPECT_NEAR(graph_wins.trial.graph_seconds(), 2e-3, 1e-9);
  EXPECT_NEAR(graph_wins.trial.direct_seconds(), 3e-3, 1e-9);
}

TEST(SubmissionTrial, EndsAfterAFixedNumberOfSteps) {
  Steps steps{.direct = 1, .graph = 1};
  steps.take_until_decided();
  EXPECT_EQ(steps.taken, 2 * SubmissionTrial::rounds * (SubmissionTrial::warm_up_steps + SubmissionTrial::timed_steps));
  EXPECT_FALSE(steps.trial.use_graph()) << "without a gain, nothing is recorded";
}

TEST(SubmissionTrial, DoesNotCountOtherWorkBetweenSteps) {
  Steps steps{.direct = 3e-3, .graph = 2e-3};
  while (!steps.trial.decided()) {
    steps.take();
    if (steps.taken % 5 != 0) continue;
    steps.trial.pause();
    steps.time += 1000;  // an evaluation
  }
  EXPECT_TRUE(steps.trial.use_graph());
  EXPECT_NEAR(steps.trial.graph_seconds(), 2e-3, 1e-9);
  EXPECT_NEAR(steps.trial.direct_seconds(), 3e-3, 1e-9);
}

TEST(SubmissionTrial, TimesABlockWithAnUnusualStepAgain) {
  Steps steps{.direct = 3e-3, .graph = 2e-3};
  while (!steps.trial.use_graph()) steps.take();
  for (int i = 0; i < SubmissionTrial::warm_up_steps + 3; ++i) steps.take();
  steps.time += 1000;  // a recording
  steps.trial.restart();
  steps.take_until_decided();
  EXPECT_TRUE(steps.trial.use_graph());
  EXPECT_NEAR(steps.trial.graph_seconds(), 2e-3, 1e-9);
}

TEST(SubmissionTrial, RejectsGraphsIfEveryBlockHasAnUnusualStep) {
  Steps steps{.direct = 3e-3, .graph = 2e-3};
  for (int i = 0; i <= SubmissionTrial::most_restarts; ++i) {
    EXPECT_FALSE(steps.trial.decided());
    steps.take();
    steps.trial.restart();
  }
  EXPECT_TRUE(steps.trial.decided());
  EXPECT_FALSE(steps.trial.use_graph());
}

TEST(SubmissionTrial, RejectsGraphsThatCannotBeRecorded) {
  Steps steps{.direct = 3e-3, .graph = 2e-3};
  steps.trial.reject_graph();
  EXPECT_TRUE(steps.trial.decided());
  EXPECT_FALSE(steps.trial.use_graph());
}

}  // namespace
}  // namespace cambium
