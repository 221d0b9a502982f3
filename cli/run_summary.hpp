// The summary of a run that `cambium inspect` prints: its progress, its result and its structural history.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "lab/results/run_record.hpp"

namespace cambium::cli {

struct SummaryOptions {
  std::optional<std::uint32_t> seed;  // whose units to list; none: in the text the first seed, in JSON all
  std::string unit;                   // LAYER:N: only the history of this unit; empty: of the whole run
  std::size_t columns = 100;          // width of the text
};

// Both throw InputError for a seed, layer or unit that the run does not have.
std::string summary_text(const RunRecord& run, const SummaryOptions& options);
nlohmann::ordered_json summary_json(const RunRecord& run, const SummaryOptions& options);

// The layer and the number of the unit in `options`. Throws InputError for a run without edits, too.
std::pair<std::size_t, std::int32_t> selected_unit(const RunRecord& run, const SummaryOptions& options);

}  // namespace cambium::cli
