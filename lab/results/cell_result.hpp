// What came out of a cell: the measures of its result.json, per seed, by name.
//
//   accuracy, taa_epochs, ...       of the cycles, as in result.json
//   ticket.accuracy, ...            of the ticket
//   gain.accuracy, ...              ticket less cycles
//   parity.early_gradient_5, ...    of the diagnostics, on one batch
//   average                         what the study averages: online accuracy of a shifting stream, the mean over tasks
//   of a
//                                   class-incremental one, test accuracy of a whole data set
//   taa, ticket.taa, gain.taa       as the study forms them: over the ends of cycles or tasks; a ticket's over all
//   epochs
//
// DENSE has no ticket: what a ticket of it would be is the run itself, as in the study.
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
  std::map<std::string, std::vector<double>> measures;  // one value per seed; NaN where there is none

  bool has(const std::string& measure) const { return measures.contains(measure); }
  // Throws InputError, naming the nearest, when there is no such measure.
  const std::vector<double>& of(const std::string& measure) const;
  // Over the seeds that have a value.
  Estimate estimate_of(const std::string& measure) const;
};

// Throws InputError when the file cannot be what such a run writes.
CellResult read_cell_result(const std::filesystem::path& file, const RunConfig& config);

}  // namespace cambium
