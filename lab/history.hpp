// events.jsonl, the structural history of a run: a line per edit, seed and hidden layer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/config.hpp"

namespace cambium {

// The lines of one edit, made after `epoch` epochs and `step` steps.
std::string history_lines(const Edit& edit, const RunConfig& config, const Architecture& architecture,
                          std::int32_t epoch, std::uint64_t step);

}  // namespace cambium
