#include "lab/run/scores.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cambium {
namespace {

// Of every hidden layer.
std::vector<std::int32_t> active_units(const Structure& structure, std::size_t replica) {
  std::vector<std::int32_t> units;
  for (std::size_t layer = 0; layer < structure.layers(); ++layer)
    units.push_back(structure.active(layer, static_cast<std::int32_t>(replica)));
  return units;
}

// The scores of a phase of which `periods` periods are over.
void persist_scores(Archive& archive, const std::string& prefix, PhaseScores& scores, const RunConfig& config,
                    std::int32_t periods) {
  const auto replicas = static_cast<std::int64_t>(config.seeds.size());
  const std::int32_t tasks = periods / config.curriculum.periods_per_task();
  std::int64_t evaluated = 0, known = 0;
  for (std::int32_t task = 0; task < tasks; ++task)
    if (is_evaluated(config, task)) {
      ++evaluated;
      known = counting_tasks(config, task + 1);
    }
  const bool tested = config.stream().kind != StreamEntry::Kind::shifting;
  archive.values(prefix + "test_accuracy", {tested ? periods : 0, replicas}, scores.test_accuracy);
  archive.values(prefix + "online", {tasks, replicas, static_cast<std::int64_t>(OnlineSums::size)}, scores.online);
  archive.values(prefix + "cumulative", {evaluated, replicas}, scores.cumulative);
  archive.values(prefix + "pooled", {evaluated, replicas}, scores.pooled);
  archive.values(prefix + "last", {known, replicas}, scores.last);
  archive.values(prefix + "best", {known, replicas}, scores.best);
}

}  // namespace

Scores::Scores(const RunConfig& config)
    : config_(config), period_sums_(config.seeds.size()), task_sums_(config.seeds.size()) {}

void Scores::persist_sums(Archive& archive) {
  const auto replicas = static_cast<std::int64_t>(config_.seeds.size());
  std::vector<std::uint64_t> images, correct;
  std::vector<double> loss, online;
  for (const auto& sums : period_sums_) {
    images.push_back(sums.images);
    correct.push_back(sums.correct);
    loss.push_back(sums.loss);
  }
  for (const auto& sums : task_sums_) {
    online.insert(online.end(), {sums.steps, sums.sum});
    online.insert(online.end(), std::begin(sums.early), std::end(sums.early));
  }
  archive.values("run.images", {replicas}, images);
  archive.values("run.correct", {replicas}, correct);
  archive.values("run.loss", {replicas}, loss);
  archive.values("run.task_online", {replicas, static_cast<std::int64_t>(OnlineSums::size)}, online);
  for (std::size_t r = 0; archive.loading() && r < period_sums_.size(); ++r) {
    period_sums_[r] = {images[r], correct[r], loss[r]};
    const double* values = &online[r * OnlineSums::size];
    task_sums_[r] = {.steps = values[0], .sum = values[1]};
    std::copy_n(values + 2, early_count, task_sums_[r].early);
  }
}

void Scores::persist(Archive& archive) {
  const auto& at = archive.at();
  persist_sums(archive);
  persist_scores(archive, "run.", run_.scores, config_, at.period);
  run_.ticket = at.ticket;
  if (at.ticket) persist_scores(archive, "run.cycles.", run_.cycles_scores, config_, config_.periods());
}

void Scores::steps_done(const StepsDone& done) {
  const std::size_t replicas = period_sums_.size();
  const auto periods = static_cast<std::uint64_t>(config_.curriculum.periods_per_task());
  const auto period = static_cast<std::uint64_t>(done.at.period) % periods;
  for (std::size_t i = 0; i < done.results.size(); ++i) {
    const StepResult& result = done.results[i];
    if (result.images == 0) continue;
    const std::size_t r = i % replicas;
    period_sums_[r].images += result.images;
    period_sums_[r].correct += result.correct;
    period_sums_[r].loss += result.loss;
    const std::uint64_t each = done.needs[r], step = done.at.step + i / replicas;
    task_sums_[r].add(static_cast<double>(result.correct) / result.images, each * period + step, each * periods);
  }
}

PeriodDone Scores::end_period(const ProgressSnapshot& at, double rate, const TaskEvaluation* evaluation,
                              const Structure& structure) {
  const std::int32_t period = at.period - 1, task = config_.curriculum.task_of(period);
  PeriodDone done{.at = at, .evaluation = evaluation, .task = task};
  done.record = {.phase = at.ticket ? "ticket" : "cycles",
                 .task = task + 1,
                 .period = at.period,
                 .step = config_.curriculum.first_step(at.period),
                 .rate = rate};
  while (config_.cycle_end(done.record.cycle) < at.period) ++done.record.cycle;
  const bool tested = config_.stream().kind != StreamEntry::Kind::shifting;
  for (std::size_t r = 0; r < period_sums_.size(); ++r) {
    const auto& sums = period_sums_[r];
    const auto images = static_cast<double>(sums.images);
    done.record.seeds.push_back({.train_loss = sums.loss / images,
                                 .train_accuracy = static_cast<double>(sums.correct) / images,
                                 .test_loss = evaluation ? evaluation->loss[r] : NAN,
                                 .test_accuracy = evaluation ? evaluation->cumulative[r] : NAN,
                                 .active_units = active_units(structure, r)});
    if (tested) run_.scores.test_accuracy.push_back(evaluation->cumulative[r]);
    if (!std::isfinite(done.record.seeds.back().train_loss))
      spdlog::warn("seed {}: the training loss of {} {} is not finite; try a smaller lr", config_.seeds[r],
                   config_.period_name(), at.period);
  }
  period_sums_.assign(period_sums_.size(), {});
  if (at.period % config_.curriculum.periods_per_task() != 0) return done;
  done.online = run_.scores.add_task(task_sums_);
  task_sums_.assign(task_sums_.size(), {});
  if (evaluation) run_.scores.add(*evaluation);
  return done;
}

void Scores::begin_ticket() {
  run_.ticket = true;
  run_.cycles_scores = std::exchange(run_.scores, {});
}

std::string Scores::status(const ProgressSnapshot& at, const Structure& structure) const {
  double images = 0, loss = 0, correct = 0;
  for (const auto& sums : period_sums_) {
    images += static_cast<double>(sums.images);
    loss += sums.loss;
    correct += static_cast<double>(sums.correct);
  }
  const auto kind = config_.stream().kind;
  const std::int32_t periods = config_.curriculum.periods_per_task();
  std::string text = at.ticket ? "ticket " : "";
  if (kind != StreamEntry::Kind::iid)
    text += fmt::format("task {}/{} ", at.period / periods + 1, config_.curriculum.tasks);
  if (kind != StreamEntry::Kind::shifting) text += fmt::format("epoch {}/{}", at.period % periods + 1, periods);
  if (config_.edits()) text += fmt::format("  units {}", fmt::join(active_units(structure, 0), "+"));
  if (images > 0) text += fmt::format("  loss {:.4f}  train {:.2f}%", loss / images, 100 * correct / images);
  if (const auto& accuracy = run_.scores.test_accuracy; !accuracy.empty()) {
    const auto last = std::span(accuracy).last(period_sums_.size());
    text += fmt::format("  test {:.2f}%",
                        100 * std::accumulate(last.begin(), last.end(), 0.0) / static_cast<double>(last.size()));
  }
  return text;
}

}  // namespace cambium
