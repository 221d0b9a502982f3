// result.json: what came out of a run.
#pragma once

#include "lab/checkpoint.hpp"
#include "plasticity/parity.hpp"

namespace cambium {

// `steps`: of each phase.
nlohmann::ordered_json make_result(const RunConfig& config, const RunState& state, const Architecture& architecture,
                                   const Structure& structure, std::uint64_t steps);

// Per seed, on one batch and on several.
nlohmann::ordered_json to_json(const std::vector<ParitySummary>& summaries);

}  // namespace cambium
