// A trace: everything that another framework needs to replay a run, as one safetensors file (docs/trace.md).
#pragma once

#include <filesystem>

#include "lab/run/checkpoint.hpp"

namespace cambium {

// Writes the trace of a finished run. The curriculum is gone through once more. `first`: the masks of the beginning;
// `of_cycles` and `last`: the parameters at the end of the cycles and of the run.
void write_trace(const std::filesystem::path& file, const RunConfig& config, const RunState& state,
                 Curriculum& curriculum, const ParameterLayout& full, const Structure& first,
                 std::span<const float> of_cycles, std::span<const float> last);

}  // namespace cambium
