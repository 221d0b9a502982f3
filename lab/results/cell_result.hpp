// The measures of a cell's result.json, per seed, by name:
//
//   accuracy, taa_epochs, ...       of the cycles, as in result.json
//   ticket.accuracy, ...            of the ticket
//   gain.accuracy, ...              ticket minus cycles
//   parity.early_gradient_5, ...    of the diagnostics on one batch
//   average, taa, ticket.taa, ...   aliases that depend on the kind of stream (alias_measures() in measures.hpp)
//
// A DENSE run has no ticket: its own measures stand for those of the ticket, as in the study.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lab/config/config.hpp"
#include "lab/results/statistics.hpp"

namespace cambium {

struct CellResult {
  std::vector<std::uint32_t> seeds;
  std::map<std::string, std::vector<double>> measures;  // one value per seed; NaN if it is missing

  bool has(const std::string& measure) const { return measures.contains(measure); }
  // Throws InputError with the nearest name if the cell does not have the measure.
  const std::vector<double>& of(const std::string& measure) const;
  // Over the seeds that have a value.
  Estimate estimate_of(const std::string& measure) const;
};

// Throws InputError if the file is not the result of a run with this configuration.
CellResult read_cell_result(const std::filesystem::path& file, const RunConfig& config);

}  // namespace cambium
