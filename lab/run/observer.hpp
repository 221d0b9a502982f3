// The parts of a run besides the training loop: what they persist, and the events that they observe.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "base/journal.hpp"
#include "lab/results/epoch_table.hpp"
#include "lab/results/task_scores.hpp"
#include "lab/run/archive.hpp"
#include "lab/training/step_queue.hpp"
#include "plasticity/edit.hpp"

namespace cambium {

// Something whose state a checkpoint contains.
class Persistent {
 public:
  virtual ~Persistent() = default;
  // Declares the tensors of the state, for saving and for loading.
  virtual void persist(Archive&) {}
  // Result files that it appends to. A checkpoint stores their lengths; a resumed run cuts them back.
  virtual std::vector<Journal*> journals() { return {}; }
};

// Steps that have run, in one period.
struct StepsDone {
  const ProgressSnapshot& at;            // before the first of them
  std::span<const StepResult> results;   // (steps, R)
  std::uint32_t end = 0;                 // steps of the period done after them
  std::uint32_t period_steps = 0;        // steps that the longest replica needs; later ones have no results
  std::span<const std::uint32_t> needs;  // (R): steps of the period that each replica needs
};

struct PeriodDone {
  ProgressSnapshot at;  // after the period
  EpochRecord record;
  const TaskEvaluation* evaluation = nullptr;  // null: the networks were not evaluated
  std::int32_t task = 0;                       // from 0
  std::vector<double> online;                  // (R, OnlineSums::size) if the task is over, else empty
};

class RunObserver : public Persistent {
 public:
  // The state is complete: the run begins, or the checkpoint is loaded and journals are cut back.
  virtual void begin(const ProgressSnapshot&) {}
  virtual void steps_done(const StepsDone&) {}
  // Whether steps_done() must be called as soon as this step is reached.
  virtual bool stops_at(const ProgressSnapshot&) const { return false; }
  virtual void period_done(const PeriodDone&) {}
  virtual void before_edit(std::int32_t) {}
  // The masks have changed; PRUNE has not rewound yet.
  virtual void masks_changed(const Edit&) {}
  virtual void edit_done(const ProgressSnapshot&, const Edit&) {}
  // The cycles are over, their last checkpoint is saved, and the ticket starts from the initial weights.
  virtual void ticket_begins() {}
  // The run is over. Adds its part to result.json.
  virtual void finish(nlohmann::ordered_json&) {}
};

}  // namespace cambium
