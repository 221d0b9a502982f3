// Carries out a run's edits: brings the event's batch to the networks, and the edit to the trainer.
#pragma once

#include "lab/config.hpp"
#include "lab/trainer.hpp"

namespace cambium {

class Editor {
 public:
  Editor(Device& device, const RunConfig& config, Trainer& trainer, const DeviceImages& images);

  // Parameters for PRUNE to rewind to, in the full layout.
  void set_rewind_target(std::span<const float> parameters);

  // Edit number `event` of the run. In between, after the masks have changed and before PRUNE rewinds, the trainer is
  // as `masked` may want to see it; the edit is complete but for the rewind then.
  Edit edit(std::int32_t event, const std::function<void(const Edit&)>& masked);

  // Images of the scoring batch of an event, (R, rows).
  static std::vector<std::int32_t> scoring_batch(const RunConfig& config, std::uint32_t images, std::int32_t event);

 private:
  Stage make_stage(std::int32_t event);

  Device& device_;
  const RunConfig& config_;
  Trainer& trainer_;
  const DeviceImages& images_;
  Buffer<float> rewind_target_;
};

}  // namespace cambium
