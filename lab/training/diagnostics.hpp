// Diagnostics of a run: observes the cohorts of its edits around each event, and returns rows of cohorts.csv.
//
// Observing changes nothing: batches come from a separate random stream, and passes run on separate buffers. The
// batches of an event are used from its exit to the end of the training that follows it.
#pragma once

#include <optional>

#include "lab/config/config.hpp"
#include "lab/training/trainer.hpp"
#include "plasticity/cohorts.hpp"
#include "plasticity/edit.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

class Diagnostics {
 public:
  Diagnostics(Device& device, const RunConfig& config, const Curriculum& curriculum, const Trainer& trainer,
              const DeviceImages& images);

  // Around edit number `event`, in this order. `births` include those of the edit.
  void observe_exit(std::int32_t event);
  std::vector<CohortRow> observe_masks(const Edit& edit, const BirthEvents& births);  // before a rewind
  std::vector<CohortRow> observe_post();

  // During training after an edit. Ages count from the event: `age_steps` in steps, `age_epochs` in epochs.
  bool wants_step(std::uint64_t age_steps) const;
  std::vector<CohortRow> observe_age(std::uint64_t age_steps, double age_epochs, bool whole_epoch, bool last);

  // Resumes a run after `event`. `reference`: live parameters at the start of the current epoch.
  void resume(std::int32_t event, const BirthEvents& births, std::span<const float> reference);
  std::vector<float> reference() const { return reference_.download(); }

 private:
  // Signals on the event's first batch, and their means over its batches.
  struct Signals {
    Observation first;
    std::vector<UnitSignals> averaged;
  };

  void take_batches(std::int32_t event);
  void make_observer();
  Signals observe(std::uint32_t batches, bool from_reference);
  std::vector<CohortRow> rows(const Signals& signals, const Moment& moment, const UnitCohorts& cohorts,
                              std::span<const double> distance) const;
  void take_reference();

  Device& device_;
  const RunConfig& config_;
  const Curriculum& curriculum_;
  const Trainer& trainer_;
  const DeviceImages& images_;
  std::int32_t event_ = -1;
  std::uint32_t rows_ = 0, batches_ = 0;
  std::optional<DeviceTasks> task_;  // of the batches
  Buffer<std::uint32_t> seeds_;
  Buffer<std::int32_t> indices_;  // (batches, R, rows)
  Buffer<std::int32_t> labels_;
  std::optional<Observer> observer_;
  std::optional<Signals> exit_;
  UnitCohorts cohorts_;      // of the live units
  Buffer<float> reference_;  // live parameters at the start of the current epoch
};

}  // namespace cambium
