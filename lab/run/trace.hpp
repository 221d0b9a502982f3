// A trace: everything that another framework needs to replay a run, as one safetensors file (docs/trace.md).
#pragma once

#include <filesystem>

#include "lab/config/config.hpp"
#include "lab/run/traced_edit.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

// What a run collects for its trace.
struct TraceRecord {
  bool ticket = false;
  std::vector<float> step_losses, cycles_losses;  // (steps done, R): of the current phase; of the cycles before it
  std::vector<TracedEdit> edits;
};

// Writes the trace of a finished run, and goes through the curriculum once more. `first`: the initial masks;
// `of_cycles` and `last`: the parameters at the end of the cycles and of the run.
void write_trace(const std::filesystem::path& file, const RunConfig& config, const TraceRecord& record,
                 Curriculum& curriculum, const ParameterLayout& full, const Structure& first,
                 std::span<const float> of_cycles, std::span<const float> last);

}  // namespace cambium
