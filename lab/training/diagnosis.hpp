// Diagnostics of a run: looks at the cohorts of its edits at the moments that matter, and writes down what they do.
//
// Looking changes nothing: batches come from a random stream of their own, and passes run on buffers of their own. The
// batches of an event are used from its exit to the end of the training that follows it.
#pragma once

#include <optional>

#include "base/journal.hpp"
#include "lab/config/config.hpp"
#include "lab/training/trainer.hpp"
#include "plasticity/cohorts.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

class Diagnosis {
 public:
  Diagnosis(Device& device, const RunConfig& config, const Curriculum& curriculum, const Trainer& trainer,
            const DeviceImages& images, Journal& journal);

  // Around edit number `event`, in this order. `births` are those of the edit, too.
  void look_before(std::int32_t event);
  void look_at_masks(const Edit& edit, const BirthEvents& births);  // before a rewind
  void look_after();

  // While training goes on after an edit.
  bool wants_step(std::uint64_t age_steps) const;
  void look_at_age(std::uint64_t age_steps, double age_epochs, bool whole_epoch, bool last);

  // Taking up a run after `event`. The reference is where the epoch under way began, in the live layout.
  void resume(std::int32_t event, const BirthEvents& births, std::span<const float> reference);
  std::vector<float> reference() const { return reference_.download(); }

 private:
  struct Look {
    Observation observation;
    std::vector<UnitSignals> averaged;
  };

  void take_batches(std::int32_t event);
  void make_observer();
  Look look(std::uint32_t batches, bool from_reference);
  void write(const Look& look, const Moment& moment, const UnitCohorts& cohorts, std::span<const double> distance);
  void take_reference();

  Device& device_;
  const RunConfig& config_;
  const Curriculum& curriculum_;
  const Trainer& trainer_;
  const DeviceImages& images_;
  Journal& journal_;
  std::int32_t event_ = -1;
  std::uint32_t rows_ = 0, batches_ = 0;
  std::optional<DeviceTasks> task_;  // that the batches are of
  Buffer<std::uint32_t> seeds_;
  Buffer<std::int32_t> indices_;  // (batches, R, rows)
  Buffer<std::int32_t> labels_;
  std::optional<Observer> observer_;
  std::optional<Look> exit_;
  UnitCohorts cohorts_;      // of the units that are live now
  Buffer<float> reference_;  // live parameters, when the epoch under way began
};

}  // namespace cambium
