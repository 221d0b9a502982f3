// result.json: what came out of a run.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lab/run/checkpoint.hpp"
#include "plasticity/parity.hpp"

namespace cambium {

// `steps`: of each phase.
nlohmann::ordered_json make_result(const RunConfig& config, const RunState& state, const Architecture& architecture,
                                   const Structure& structure, std::uint64_t steps);

// A measure of result.json: mean, standard deviation, and the values per seed.
nlohmann::ordered_json summary_of(const std::vector<double>& values);

// Makes parities.csv of cohorts.csv in the folder of a run; returns the summaries for result.json.
nlohmann::ordered_json write_parities(const std::filesystem::path& folder, const RunConfig& config);

// Per seed, on one batch and on several.
nlohmann::ordered_json to_json(const std::vector<ParitySummary>& summaries);

}  // namespace cambium
