// Diagnostics during the cycles: appends what they observe to cohorts.csv, and makes parities.csv of it at the end.
#pragma once

#include <optional>

#include "lab/run/edits.hpp"
#include "lab/training/diagnostics.hpp"

namespace cambium {

class CohortObserver : public RunObserver {
 public:
  // Without `diagnostics` in the configuration it does nothing.
  CohortObserver(Device& device, const RunConfig& config, const Curriculum& curriculum, const Trainer& trainer,
                 const DeviceImages& images, const Edits& edits, const std::filesystem::path& folder);

  void persist(Archive& archive) override;
  std::vector<Journal*> journals() override { return {&journal_}; }

  void begin(const ProgressSnapshot& at) override;
  void steps_done(const StepsDone& done) override;
  bool stops_at(const ProgressSnapshot& at) const override;
  void period_done(const PeriodDone& done) override;
  void before_edit(std::int32_t event) override;
  void masks_changed(const Edit& edit) override;
  void edit_done(const ProgressSnapshot& at, const Edit& edit) override;
  void ticket_begins() override { diagnostics_.reset(); }
  void finish(nlohmann::ordered_json& result) override;

 private:
  void append(std::vector<CohortRow> rows);

  const RunConfig& config_;
  const Trainer& trainer_;
  const Edits& edits_;
  std::filesystem::path folder_;
  Journal journal_;
  std::optional<Diagnostics> diagnostics_;  // until the ticket begins
  std::vector<CohortRow> rows_;             // the contents of cohorts.csv
};

}  // namespace cambium
