#include "lab/run/journal_observers.hpp"

#include "lab/results/history.hpp"
#include "lab/run/position.hpp"
#include "lab/run/task_table.hpp"

namespace cambium {

void HistoryObserver::edit_done(const ProgressSnapshot& at, const Edit& edit) {
  journal_.append(history_lines(edit, config_, architecture_, at.period, steps_in_phase(config_, at)));
}

TaskObserver::TaskObserver(const std::filesystem::path& folder, const RunConfig& config,
                           const Architecture& architecture, const Compaction& compaction)
    : config_(config),
      compaction_(compaction),
      tasks_(folder / "tasks.csv", task_table_header(architecture)),
      matrix_(folder / "matrix.csv", matrix_header()),
      online_(folder / "online.npy", online_header(config)),
      online_ticket_(folder / "online_ticket.npy", online_header(config)) {}

void TaskObserver::steps_done(const StepsDone& done) {
  if (!has_tasks() || done.results.empty()) return;
  std::vector<std::int32_t> correct;
  for (const StepResult& result : done.results)
    correct.push_back(result.images == 0 ? -1 : static_cast<std::int32_t>(result.correct));
  (done.at.ticket ? online_ticket_ : online_).append(online_rows(config_, correct));
}

void TaskObserver::period_done(const PeriodDone& done) {
  if (!has_tasks() || done.online.empty()) return;
  const char* phase = done.record.phase.c_str();
  tasks_.append(task_table_rows(config_, phase, done.task, done.online, done.evaluation, compaction_.structure()));
  if (done.evaluation) matrix_.append(matrix_rows(config_, phase, done.task, *done.evaluation));
}

}  // namespace cambium
