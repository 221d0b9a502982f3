// How well the networks of a run did, task by task, and the measures that follow: ACC, TAA, online accuracy, TAOA,
// both readings of Early-Task TAA, and forgetting (docs/streams.md). A run on a whole data set has one task.
#pragma once

#include "lab/config/config.hpp"

namespace cambium {

// The beginnings of a task that are looked at separately, as shares of its steps.
inline constexpr double early_shares[] = {0.01, 0.05, 0.10};
inline constexpr std::size_t early_count = std::size(early_shares);
// As results and tables call them: early_window_05.
std::string early_window_name(std::size_t share);

// Online accuracy of one network over one task: a_t is the accuracy on a step's images before its update.
struct OnlineSums {
  double steps = 0, sum = 0;       // of a_t
  double early[early_count] = {};  // the same over the first steps
  static constexpr std::size_t size = 2 + early_count;

  // Adds a_t of step `step` of `all` that the network takes in the task.
  void add(double accuracy, std::uint64_t step, std::uint64_t all);
};
// How many steps belong to a task's beginning.
std::uint64_t early_steps(double share, std::uint64_t steps);

// What R networks know of the counting tasks so far.
struct Examination {
  std::vector<std::int32_t> tasks;    // their numbers, from 0
  std::vector<double> accuracy;       // (R, tasks)
  std::vector<std::uint32_t> images;  // (R, tasks) that they were tried on
  std::vector<double> cumulative;     // (R) mean over the tasks
  std::vector<double> pooled;         // (R) over all images alike
  std::vector<double> loss;           // (R) likewise
};

// Of one phase of a run.
struct PhaseScores {
  std::vector<double> test_accuracy;  // (periods done, R), mean over the tasks so far; not in shifting streams
  std::vector<double> online;         // (tasks done, R, 2 + early shares): steps, mean a_t, mean a_t of beginnings
  std::vector<double> cumulative;     // (examined task ends, R): mean accuracy on the tasks so far
  std::vector<double> pooled;         // the same over all their images alike
  std::vector<double> last;           // (counting tasks so far, R): accuracy at the last examined end
  std::vector<double> best;           // the best at examined ends before it, NaN where there was none

  // At the end of a task. The first returns what it adds to `online`.
  std::vector<double> add_task(const std::vector<OnlineSums>& sums);
  void add(const Examination& examination);
};

// Whether a task's accuracy counts in averages.
bool counts(const RunConfig& config, std::int32_t task);
// Counting tasks among the first `tasks`.
std::int32_t counting_tasks(const RunConfig& config, std::int32_t tasks);
// Whether the networks are examined on all tasks so far when this one ends.
bool is_examined(const RunConfig& config, std::int32_t task);

// One number per network.
struct TaskMeasures {
  std::vector<double> acc, taa, pooled, early_tasks, forgetting;
  std::vector<double> taoa;
  std::vector<double> early_window[early_count];
};
// Of a phase that is over. What a run has not is empty: early_tasks and forgetting of a single task.
TaskMeasures measure(const RunConfig& config, const PhaseScores& scores);

}  // namespace cambium
