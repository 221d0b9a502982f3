// The edits of a run: carries them out, and remembers the births and the weights to rewind to.
#pragma once

#include "lab/run/observer.hpp"
#include "lab/training/trainer.hpp"
#include "plasticity/cohorts.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

class Edits : public Persistent {
 public:
  Edits(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
        const DeviceImages& images);

  void persist(Archive& archive) override;

  // Carries out edit number `event`.
  Edit run(std::int32_t event, const std::vector<RunObserver*>& observers);
  // Takes PRUNE's snapshot if `at`, the end of a period, is the time for it.
  void end_period(const ProgressSnapshot& at);
  // Frees everything that only edits need.
  void begin_ticket();

  // Sets the learning speeds of newborns for the step with this number.
  void set_speeds(const ProgressSnapshot& at, std::uint64_t step);

  const BirthEvents& births() const { return births_; }

 private:
  void add_births(const Edit& edit);

  Device& device_;
  const RunConfig& config_;
  const Curriculum& curriculum_;
  Trainer& trainer_;
  const DeviceImages& images_;
  BirthEvents births_;
  std::vector<float> snapshot_;  // parameters of PRUNE's snapshot, in the full layout
  Buffer<float> rewind_target_;
  std::uint64_t next_speed_change_ = 0;
};

// The structure at the start of a run.
Structure initial_structure(const RunConfig& config, const Architecture& architecture);
// The initial parameters of a run, in the full layout; `fresh`: a second, independent draw.
std::vector<float> initial_values(const RunConfig& config, const ParameterLayout& full, bool fresh);

}  // namespace cambium
