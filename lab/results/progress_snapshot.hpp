// Where a run stands, as its checkpoint says.
#pragma once

#include "lab/config/config.hpp"
#include "lab/results/safetensors.hpp"

namespace cambium {

inline constexpr const char* checkpoint_format = "cambium-checkpoint-1";

// Where a run stands. It has one phase, or two: the cycles, and the ticket.
struct ProgressSnapshot {
  bool ticket = false;      // the phase under way
  std::int32_t period = 0;  // whole periods of it done: epochs, or tasks of a shifting stream
  std::uint32_t step = 0;   // steps done of the period under way
  std::int32_t events = 0;  // edits done
};

// What a checkpoint says of that. Throws InputError when it is of another run, or stands where that run never does.
ProgressSnapshot read_progress_snapshot(const TensorFile& file, const RunConfig& config);

}  // namespace cambium
