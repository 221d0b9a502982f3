#include "lab/results/task_scores.hpp"

#include <algorithm>
#include <cmath>

#include "streams/data/catalogue.hpp"

namespace cambium {
namespace {

// Streams of up to so many tasks are evaluated at the end of every task.
constexpr std::int32_t longest_fully_evaluated = 100;

}  // namespace

std::uint64_t early_steps(double share, std::uint64_t steps) {
  // 1e-9 makes up for rounding: 0.1 * 30 is a little less than 3.
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * static_cast<double>(steps) + 1e-9));
}

void OnlineSums::add(double accuracy, std::uint64_t step, std::uint64_t all) {
  steps += 1;
  sum += accuracy;
  for (std::size_t i = 0; i < early_count; ++i)
    if (step < early_steps(early_shares[i], all)) early[i] += accuracy;
}

std::vector<double> PhaseScores::add_task(const std::vector<OnlineSums>& sums) {
  std::vector<double> added;
  for (const auto& of : sums) {
    added.insert(added.end(), {of.steps, of.sum / of.steps});
    for (std::size_t i = 0; i < early_count; ++i)
      added.push_back(of.early[i] /
                      static_cast<double>(early_steps(early_shares[i], static_cast<std::uint64_t>(of.steps))));
  }
  online.insert(online.end(), added.begin(), added.end());
  return added;
}

void PhaseScores::add(const TaskEvaluation& evaluation) {
  const std::size_t replicas = evaluation.cumulative.size(), tasks = evaluation.tasks.size();
  cumulative.insert(cumulative.end(), evaluation.cumulative.begin(), evaluation.cumulative.end());
  pooled.insert(pooled.end(), evaluation.pooled.begin(), evaluation.pooled.end());
  for (std::size_t i = 0; i < last.size(); ++i) best[i] = std::fmax(best[i], last[i]);
  last.resize(tasks * replicas);
  best.resize(tasks * replicas, NAN);
  for (std::size_t k = 0; k < tasks; ++k)
    for (std::size_t r = 0; r < replicas; ++r) last[k * replicas + r] = evaluation.accuracy[r * tasks + k];
}

std::string early_window_name(std::size_t share) {
  return fmt::format("early_window_{:02.0f}", 100 * early_shares[share]);
}

bool counts(const RunConfig& config, std::int32_t task) { return task_counts(config.stream(), task); }

std::int32_t counting_tasks(const RunConfig& config, std::int32_t tasks) {
  if (config.stream().counts == nullptr) return tasks;
  std::int32_t count = 0;
  for (std::int32_t task = 0; task < tasks; ++task) count += counts(config, task);
  return count;
}

bool is_evaluated(const RunConfig& config, std::int32_t task) {
  if (!counts(config, task)) return false;
  const std::int32_t number = task + 1, all = config.curriculum.tasks;
  return all <= longest_fully_evaluated || number <= 10 || number % 10 == 0 || number == all;
}

std::uint32_t evaluated_images_per_task(const RunConfig& config) {
  return std::min(config.evaluation_images, config.curriculum.fewest_images());
}

double evaluated_images(const RunConfig& config) {
  if (config.stream().kind != StreamEntry::Kind::shifting)
    return static_cast<double>(catalogue_entry(config.stream().data).test_images) * config.periods();
  double tasks = 0;
  for (std::int32_t task = 0; task < config.curriculum.tasks; ++task)
    if (is_evaluated(config, task)) tasks += counting_tasks(config, task + 1);
  return tasks * evaluated_images_per_task(config);
}

SeedScores::SeedScores(const RunConfig& config, const PhaseScores& scores, std::size_t seed)
    : config_(config), scores_(scores), seed_(seed), seeds_(config.seeds.size()) {
  std::int32_t before = 0;  // the last evaluated counting task, from 1
  std::size_t evaluated = 0;
  for (std::int32_t task = 0; task < config.curriculum.tasks; ++task) {
    if (!is_evaluated(config, task)) continue;
    const std::int32_t number = counting_tasks(config, task + 1);
    const double value = scores.cumulative[evaluated++ * seeds_ + seed];
    const double from = task_ends_.empty() ? value : task_ends_.back();
    for (std::int32_t i = before + 1; i <= number; ++i)
      task_ends_.push_back(from +
                           (value - from) * static_cast<double>(i - before) / static_cast<double>(number - before));
    before = number;
  }
}

std::vector<double> SeedScores::early_task_ends() const {
  const double share = config_.stream().kind == StreamEntry::Kind::shifting ? 0.8 : 0.2;
  const auto count = std::ceil(share * static_cast<double>(task_ends_.size()) - 1e-9);
  return {task_ends_.begin(), task_ends_.begin() + static_cast<std::ptrdiff_t>(count)};
}

double SeedScores::test_accuracy(std::int32_t period) const {
  return scores_.test_accuracy[static_cast<std::size_t>(period - 1) * seeds_ + seed_];
}

std::vector<double> SeedScores::periods() const {
  std::vector<double> values;
  for (std::int32_t period = 1; period <= config_.periods(); ++period) values.push_back(test_accuracy(period));
  return values;
}

std::vector<double> SeedScores::cycle_ends() const {
  std::vector<double> values;
  for (std::int32_t cycle = 1; cycle <= config_.cycles; ++cycle)
    values.push_back(test_accuracy(config_.cycle_end(cycle)));
  return values;
}

double SeedScores::pooled_accuracy() const { return scores_.pooled[scores_.pooled.size() - seeds_ + seed_]; }

double SeedScores::forgetting() const {
  double forgotten = 0, known = 0;
  for (std::size_t task = 0; task + 1 < task_ends_.size(); ++task) {
    const std::size_t at = task * seeds_ + seed_;
    if (std::isnan(scores_.best[at])) continue;
    forgotten += scores_.best[at] - scores_.last[at];
    ++known;
  }
  return forgotten / known;
}

const double* SeedScores::online(std::int32_t task) const {
  return &scores_.online[(static_cast<std::size_t>(task) * seeds_ + seed_) * OnlineSums::size];
}

double SeedScores::online_accuracy() const {
  double sum = 0, steps = 0;
  for (std::int32_t task = 0; task < config_.curriculum.tasks; ++task) {
    if (!counts(config_, task)) continue;
    steps += online(task)[0];
    sum += online(task)[0] * online(task)[1];
  }
  return sum / steps;
}

double SeedScores::early_window(std::size_t share) const {
  double sum = 0;
  for (std::int32_t task = 0; task < config_.curriculum.tasks; ++task)
    if (counts(config_, task)) sum += online(task)[2 + share];
  return sum / static_cast<double>(task_ends_.size());
}

}  // namespace cambium
