// Carries out a run's edits: brings the event's batch to the networks, and the edit to the trainer.
#pragma once

#include "lab/config/config.hpp"
#include "lab/training/trainer.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

class Editor {
 public:
  Editor(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
         const DeviceImages& images);

  // Parameters for PRUNE to rewind to, in the full layout.
  void set_rewind_target(std::span<const float> parameters);

  // Edit number `event` of the run. `masked`, if given, is called in between, after the masks have changed and before
  // PRUNE rewinds, when the trainer could go on with the new structure.
  Edit edit(std::int32_t event, const std::function<void(const Edit&)>& masked = {});
  // How long the last edit's batch took: gathering its images, and the passes over it.
  double seconds_on_batch() const { return seconds_on_batch_; }

  // Images of the scoring batch of an event, (R, rows).
  static std::vector<std::int32_t> scoring_batch(const RunConfig& config, const Curriculum& curriculum,
                                                 std::int32_t event);

 private:
  void bring_batch(View<const std::int32_t> indices, const TaskView& task, ScoringPass& stage);

  Device& device_;
  const RunConfig& config_;
  const Curriculum& curriculum_;
  Trainer& trainer_;
  const DeviceImages& images_;
  Buffer<std::uint32_t> seeds_;
  Buffer<float> rewind_target_;
  double seconds_on_batch_ = 0;
};

}  // namespace cambium
