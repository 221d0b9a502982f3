// Observers that append a line or a few rows to a result file at every period or edit.
#pragma once

#include <optional>

#include "lab/run/observer.hpp"
#include "lab/run/tensorboard.hpp"

namespace cambium {

// metrics.jsonl: a line per period.
class MetricsObserver : public RunObserver {
 public:
  explicit MetricsObserver(const std::filesystem::path& folder) : journal_(folder / "metrics.jsonl") {}

  std::vector<Journal*> journals() override { return {&journal_}; }
  void period_done(const PeriodDone& done) override { journal_.append(metrics_line(done.record)); }

 private:
  Journal journal_;
};

// epochs.csv: a row per period and seed.
class EpochObserver : public RunObserver {
 public:
  EpochObserver(const std::filesystem::path& folder, const RunConfig& config, const Architecture& architecture)
      : config_(config), journal_(folder / "epochs.csv", epoch_table_header(architecture)) {}

  std::vector<Journal*> journals() override { return {&journal_}; }
  void period_done(const PeriodDone& done) override { journal_.append(epoch_table_rows(done.record, config_)); }

 private:
  const RunConfig& config_;
  Journal journal_;
};

// events.jsonl: a line per edit, seed and layer.
class HistoryObserver : public RunObserver {
 public:
  HistoryObserver(const std::filesystem::path& folder, const RunConfig& config, const Architecture& architecture)
      : config_(config), architecture_(architecture), journal_(folder / "events.jsonl") {}

  std::vector<Journal*> journals() override { return {&journal_}; }
  void edit_done(const ProgressSnapshot& at, const Edit& edit) override;

 private:
  const RunConfig& config_;
  const Architecture& architecture_;
  Journal journal_;
};

// Event files for TensorBoard. They persist nothing: a resumed run writes them again from metrics.jsonl.
class TensorBoardObserver : public RunObserver {
 public:
  TensorBoardObserver(const std::filesystem::path& folder, const RunConfig& config)
      : folder_(folder), config_(config) {}

  void begin(const ProgressSnapshot&) override { board_.emplace(folder_, config_.seeds); }
  void period_done(const PeriodDone& done) override { board_->add(done.record); }

 private:
  std::filesystem::path folder_;
  const RunConfig& config_;
  std::optional<TensorBoard> board_;
};

// Streams of tasks only. tasks.csv: a row per task and seed. matrix.csv: the accuracy on every earlier task. online.npy
// and online_ticket.npy: the number of correct images of every step.
class TaskObserver : public RunObserver {
 public:
  TaskObserver(const std::filesystem::path& folder, const RunConfig& config, const Architecture& architecture,
               const Compaction& compaction);

  std::vector<Journal*> journals() override { return {&tasks_, &matrix_, &online_, &online_ticket_}; }
  void steps_done(const StepsDone& done) override;
  void period_done(const PeriodDone& done) override;

 private:
  bool has_tasks() const { return config_.stream().kind != StreamEntry::Kind::iid; }

  const RunConfig& config_;
  const Compaction& compaction_;
  Journal tasks_, matrix_, online_, online_ticket_;
};

}  // namespace cambium
