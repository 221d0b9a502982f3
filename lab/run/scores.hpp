// Sums over the current period and task, and the scores of all periods and tasks that are over.
#pragma once

#include "lab/run/observer.hpp"

namespace cambium {

// Over the images that one network has trained on in the current period.
struct PeriodSums {
  std::uint64_t images = 0, correct = 0;
  double loss = 0;
};

struct RunScores {
  bool ticket = false;
  PhaseScores scores, cycles_scores;  // of the current phase; of the cycles, during the ticket
};

class Scores : public Persistent {
 public:
  explicit Scores(const RunConfig& config);

  void persist(Archive& archive) override;

  void steps_done(const StepsDone& done);
  // Closes the period before `at`. `evaluation` may be null; `structure`: active units for the record.
  PeriodDone end_period(const ProgressSnapshot& at, double rate, const TaskEvaluation* evaluation,
                        const Structure& structure);
  void begin_ticket();

  const RunScores& scores() const { return run_; }
  // A line of status text: task, epoch, active units of the first seed, means over the seeds.
  std::string status(const ProgressSnapshot& at, const Structure& structure) const;

 private:
  void persist_sums(Archive& archive);

  const RunConfig& config_;
  std::vector<PeriodSums> period_sums_;  // (R)
  std::vector<OnlineSums> task_sums_;    // (R)
  RunScores run_;
};

}  // namespace cambium
