// The progress of a run at a checkpoint.
#pragma once

#include "lab/config/config.hpp"
#include "lab/results/safetensors.hpp"

namespace cambium {

inline constexpr const char* checkpoint_format = "cambium-checkpoint-1";

// A run has one or two phases: the cycles and, if it has one, the ticket.
struct ProgressSnapshot {
  bool ticket = false;      // the current phase
  std::int32_t period = 0;  // finished periods of the phase: epochs, or tasks of a shifting stream
  std::uint32_t step = 0;   // finished steps of the current period
  std::int32_t events = 0;  // finished edits
};

// Reads the progress from a checkpoint. Throws InputError if the checkpoint is of another run or at a point that the
// run cannot reach.
ProgressSnapshot read_progress_snapshot(const TensorFile& file, const RunConfig& config);

}  // namespace cambium
