// What `cambium inspect` tells of a run: where it stands, and its structural history, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lab/results/run_record.hpp"

namespace cambium::cli {

struct AccountOptions {
  std::optional<std::uint32_t> seed;  // whose units; none: for people the first, for programs all
  std::string unit;                   // LAYER:N, or empty: its life instead of the whole history
  std::size_t columns = 100;
};

// Both throw InputError for a seed, layer or unit that the run does not have.
std::string account_text(const RunRecord& run, const AccountOptions& options);
nlohmann::ordered_json account_json(const RunRecord& run, const AccountOptions& options);

}  // namespace cambium::cli
