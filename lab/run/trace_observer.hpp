// Collects what --trace needs during a run, and writes the trace at the end.
#pragma once

#include "lab/run/observer.hpp"
#include "lab/run/run_folder.hpp"
#include "lab/run/trace.hpp"
#include "lab/training/trainer.hpp"

namespace cambium {

class TraceObserver : public RunObserver {
 public:
  // With an empty `file` it collects nothing.
  TraceObserver(std::filesystem::path file, const RunConfig& config, const RunFolder& folder, Trainer& trainer,
                Curriculum& curriculum);

  void persist(Archive& archive) override;
  void steps_done(const StepsDone& done) override;
  void edit_done(const ProgressSnapshot& at, const Edit& edit) override;
  void ticket_begins() override;
  void finish(nlohmann::ordered_json& result) override;

 private:
  bool is_complete(const ProgressSnapshot& at) const;

  std::filesystem::path file_;
  const RunConfig& config_;
  const RunFolder& folder_;
  Trainer& trainer_;
  Curriculum& curriculum_;
  TraceRecord record_;
};

}  // namespace cambium
