#include "lab/results/task_scores.hpp"

#include <algorithm>
#include <cmath>

namespace cambium {
namespace {

// With more tasks than this, the networks are not examined at the end of each.
constexpr std::int32_t most_examined = 100;

// Acc_cum at the end of every counting task, with straight lines between those that were measured.
std::vector<double> at_every_end(const RunConfig& config, const PhaseScores& scores, std::size_t replica) {
  const std::size_t replicas = config.seeds.size();
  std::vector<double> values;
  std::int32_t before = 0;  // the counting task that was measured last, from 1
  std::size_t measured = 0;
  for (std::int32_t task = 0; task < config.curriculum.tasks; ++task) {
    if (!is_examined(config, task)) continue;
    const std::int32_t number = counting_tasks(config, task + 1);
    const double value = scores.cumulative[measured++ * replicas + replica];
    const double from = values.empty() ? value : values.back();
    for (std::int32_t i = before + 1; i <= number; ++i)
      values.push_back(from + (value - from) * static_cast<double>(i - before) / static_cast<double>(number - before));
    before = number;
  }
  return values;
}

double mean_of_first(const std::vector<double>& values, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

}  // namespace

std::uint64_t early_steps(double share, std::uint64_t steps) {
  // Whole steps; also where the product falls just short of one, as 0.1 * 30 does.
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

void PhaseScores::add(const Examination& examination) {
  const std::size_t replicas = examination.cumulative.size(), tasks = examination.tasks.size();
  cumulative.insert(cumulative.end(), examination.cumulative.begin(), examination.cumulative.end());
  pooled.insert(pooled.end(), examination.pooled.begin(), examination.pooled.end());
  for (std::size_t i = 0; i < last.size(); ++i) best[i] = std::fmax(best[i], last[i]);
  last.resize(tasks * replicas);
  best.resize(tasks * replicas, NAN);
  for (std::size_t k = 0; k < tasks; ++k)
    for (std::size_t r = 0; r < replicas; ++r) last[k * replicas + r] = examination.accuracy[r * tasks + k];
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

bool is_examined(const RunConfig& config, std::int32_t task) {
  if (!counts(config, task)) return false;
  const std::int32_t number = task + 1, all = config.curriculum.tasks;
  return all <= most_examined || number <= 10 || number % 10 == 0 || number == all;
}

TaskMeasures measure(const RunConfig& config, const PhaseScores& scores) {
  const std::size_t replicas = config.seeds.size();
  const auto tasks = static_cast<std::size_t>(config.curriculum.tasks);
  const auto counting = static_cast<std::size_t>(counting_tasks(config, config.curriculum.tasks));
  const bool shifting = config.stream().kind == StreamEntry::Kind::shifting;
  TaskMeasures result;
  for (std::size_t r = 0; r < replicas; ++r) {
    const auto ends = at_every_end(config, scores, r);
    result.acc.push_back(ends.back());
    result.taa.push_back(mean_of_first(ends, ends.size()));
    result.pooled.push_back(scores.pooled[scores.pooled.size() - replicas + r]);
    double sum = 0, steps = 0, early[early_count] = {};
    for (std::size_t task = 0; task < tasks; ++task) {
      if (!counts(config, static_cast<std::int32_t>(task))) continue;
      const double* online = &scores.online[(task * replicas + r) * OnlineSums::size];
      steps += online[0];
      sum += online[0] * online[1];
      for (std::size_t i = 0; i < early_count; ++i) early[i] += online[2 + i];
    }
    result.taoa.push_back(sum / steps);
    for (std::size_t i = 0; i < early_count; ++i)
      result.early_window[i].push_back(early[i] / static_cast<double>(counting));
    if (counting < 2) continue;
    const double share = shifting ? 0.8 : 0.2;
    result.early_tasks.push_back(
        mean_of_first(ends, static_cast<std::size_t>(std::ceil(share * static_cast<double>(counting) - 1e-9))));
    double forgotten = 0, known = 0;
    for (std::size_t k = 0; k + 1 < counting; ++k) {
      if (std::isnan(scores.best[k * replicas + r])) continue;
      forgotten += scores.best[k * replicas + r] - scores.last[k * replicas + r];
      ++known;
    }
    result.forgetting.push_back(forgotten / known);
  }
  return result;
}

}  // namespace cambium
