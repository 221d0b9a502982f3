#include "lab/run/cohort_observer.hpp"

#include <nlohmann/json.hpp>

#include "lab/results/cohort_table.hpp"
#include "lab/run/position.hpp"
#include "lab/run/result.hpp"

namespace cambium {

CohortObserver::CohortObserver(Device& device, const RunConfig& config, const Curriculum& curriculum,
                               const Trainer& trainer, const DeviceImages& images, const Edits& edits,
                               const std::filesystem::path& folder)
    : config_(config),
      trainer_(trainer),
      edits_(edits),
      folder_(folder),
      journal_(folder / "cohorts.csv", cohort_header()) {
  if (config.diagnostics) diagnostics_.emplace(device, config, curriculum, trainer, images);
}

void CohortObserver::persist(Archive& archive) {
  const auto& at = archive.at();
  if (at.ticket) diagnostics_.reset();
  if (!diagnostics_ || at.events == 0) return;
  std::vector<float> reference;
  if (!archive.loading()) reference = diagnostics_->reference();
  archive.values("diagnosis.reference", {static_cast<std::int64_t>(trainer_.live_parameters().size())}, reference);
  if (archive.loading()) diagnostics_->resume(last_event(config_, at), edits_.births(), reference);
}

// A checkpoint contains the length of the journal instead of its rows: they would make every checkpoint larger, and
// their numbers in the journal are exact.
void CohortObserver::begin(const ProgressSnapshot&) {
  if (journal_.bytes() == 0) return;
  for (auto& record : read_cohorts(folder_ / journal_.name())) rows_.push_back(std::move(record.row));
}

void CohortObserver::append(std::vector<CohortRow> rows) {
  const RunColumns run = columns_of(config_);
  std::string lines;
  for (const auto& row : rows) lines += format(run, row);
  if (!lines.empty()) journal_.append(lines);
  rows_.insert(rows_.end(), rows.begin(), rows.end());
}

bool CohortObserver::stops_at(const ProgressSnapshot& at) const {
  return diagnostics_ && diagnostics_->wants_step(age_in_steps(config_, at));
}

// period_done() observes the age at the end of a period.
void CohortObserver::steps_done(const StepsDone& done) {
  ProgressSnapshot at = done.at;
  at.step = done.end;
  if (at.step < done.period_steps && stops_at(at))
    append(diagnostics_->observe_age(age_in_steps(config_, at), age_in_periods(config_, at), false, false));
}

void CohortObserver::period_done(const PeriodDone& done) {
  const auto& at = done.at;
  if (diagnostics_ && at.events > 0)
    append(diagnostics_->observe_age(age_in_steps(config_, at), age_in_periods(config_, at), true,
                                     at.period == config_.cycle_end(done.record.cycle)));
}

void CohortObserver::before_edit(std::int32_t event) {
  if (diagnostics_) diagnostics_->observe_exit(event);
}

void CohortObserver::masks_changed(const Edit& edit) {
  if (diagnostics_) append(diagnostics_->observe_masks(edit, edits_.births()));
}

void CohortObserver::edit_done(const ProgressSnapshot&, const Edit&) {
  if (diagnostics_) append(diagnostics_->observe_post());
}

void CohortObserver::finish(nlohmann::ordered_json& result) {
  if (config_.diagnostics) result["diagnostics"] = write_parities(folder_, config_, rows_);
}

}  // namespace cambium
