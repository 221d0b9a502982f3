// A trace: everything that another framework needs to replay a run, as one safetensors file (docs/trace.md).
#pragma once

#include <filesystem>

#include "lab/checkpoint.hpp"

namespace cambium {

// Writes the trace of a finished run on a data set of `images` training images.
void write_trace(const std::filesystem::path& file, const RunConfig& config, const RunState& state,
                 const ParameterLayout& full, const Structure& structure, std::span<const float> parameters,
                 std::uint32_t images);

}  // namespace cambium
