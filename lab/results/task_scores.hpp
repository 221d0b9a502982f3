// Accuracy of the networks of a run, task by task, and what the measures of a phase are computed from (measures.hpp,
// docs/streams.md). A run on a whole data set has one task.
#pragma once

#include "lab/config/config.hpp"

namespace cambium {

// Windows at the beginning of a task in which online accuracy is also averaged, as fractions of the task's steps.
inline constexpr double early_shares[] = {0.01, 0.05, 0.10};
inline constexpr std::size_t early_count = std::size(early_shares);
// The name in result files: early_window_05.
std::string early_window_name(std::size_t share);
// The number of steps in such a window.
std::uint64_t early_steps(double share, std::uint64_t steps);

// Online accuracy of one network over one task: a_t is the accuracy on a step's images before its update.
struct OnlineSums {
  double steps = 0, sum = 0;       // of a_t
  double early[early_count] = {};  // sum of a_t in each early window
  static constexpr std::size_t size = 2 + early_count;

  // Adds a_t of step `step` of the `all` steps that the network takes in the task.
  void add(double accuracy, std::uint64_t step, std::uint64_t all);
};

// One evaluation of R networks on the counting tasks so far.
struct TaskEvaluation {
  std::vector<std::int32_t> tasks;    // their numbers, from 0
  std::vector<double> accuracy;       // (R, tasks)
  std::vector<std::uint32_t> images;  // (R, tasks) evaluated
  std::vector<double> cumulative;     // (R) mean accuracy over the tasks
  std::vector<double> pooled;         // (R) accuracy over the images of all tasks together
  std::vector<double> loss;           // (R) mean loss over the same images
};

// Of one phase of a run.
struct PhaseScores {
  std::vector<double> test_accuracy;  // (periods done, R) mean over the tasks so far; empty in shifting streams
  std::vector<double> online;         // (tasks done, R, 2 + early windows): steps, mean a_t, mean a_t of each window
  std::vector<double> cumulative;     // (evaluated task ends, R) mean accuracy on the tasks so far
  std::vector<double> pooled;         // (evaluated task ends, R) accuracy over all their images together
  std::vector<double> last;           // (counting tasks so far, R) accuracy at the last evaluated end
  std::vector<double> best;           // (counting tasks so far, R) best accuracy at earlier ends; NaN if there is none

  // Both are called at the end of a task. The first returns the values that it appends to `online`.
  std::vector<double> add_task(const std::vector<OnlineSums>& sums);
  void add(const TaskEvaluation& evaluation);
};

// Whether a task's accuracy counts in averages.
bool counts(const RunConfig& config, std::int32_t task);
// Counting tasks among the first `tasks`.
std::int32_t counting_tasks(const RunConfig& config, std::int32_t tasks);
// Whether the networks are evaluated on all counting tasks so far when this one ends.
bool is_evaluated(const RunConfig& config, std::int32_t task);
// Images of one task that an evaluation of a shifting stream uses.
std::uint32_t evaluated_images_per_task(const RunConfig& config);
// Images that each network is evaluated on in one phase of the run, repetitions included.
double evaluated_images(const RunConfig& config);

// The scores of one seed in a phase that is over. All accuracies are fractions of 1.
class SeedScores {
 public:
  // Both arguments outlive the object.
  SeedScores(const RunConfig& config, const PhaseScores& scores, std::size_t seed);

  // Mean accuracy on the counting tasks so far, at the end of every counting task; linear between evaluated ends.
  const std::vector<double>& task_ends() const { return task_ends_; }
  // The task ends that early-task accuracy averages: the first fifth; of a shifting stream, the first four fifths.
  std::vector<double> early_task_ends() const;
  // Test accuracy at the end of every period, and at the end of every cycle. Shifting streams have none.
  std::vector<double> periods() const;
  std::vector<double> cycle_ends() const;
  // Accuracy over the images of all counting tasks together, at the end.
  double pooled_accuracy() const;
  // Best accuracy at an earlier end minus accuracy at the last, mean over all counting tasks but the last.
  double forgetting() const;
  // Mean accuracy before the update, over all steps of the counting tasks.
  double online_accuracy() const;
  // Mean online accuracy over an early window, mean over the counting tasks.
  double early_window(std::size_t share) const;

 private:
  double test_accuracy(std::int32_t period) const;  // from 1
  // The entry of `online` of a task.
  const double* online(std::int32_t task) const;

  const RunConfig& config_;
  const PhaseScores& scores_;
  std::size_t seed_, seeds_;
  std::vector<double> task_ends_;
};

}  // namespace cambium
