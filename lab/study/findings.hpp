// The results of the cells of an experiment, queried by keys:
//
//   findings.points({{"stream", "mnist"}, {"variant", "grow"}, {"compactness", "0.2"}}, "ticket.accuracy")
//
// Keys are those of a configuration, or variant. An empty value matches cells without the key: DENSE has no
// compactness. If several cells match, their values are averaged seed by seed.
#pragma once

#include <optional>
#include <stdexcept>

#include "lab/experiment/cell_keys.hpp"
#include "lab/experiment/sweep_folder.hpp"
#include "lab/results/cell_result.hpp"

namespace cambium {

// Runs that a query needs are not done or have too few seeds. The message names them.
struct MissingRuns : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Finding {
  CellKeys keys;
  std::string name;              // empty while the cell is open
  std::filesystem::path folder;  // of the run
  std::optional<CellResult> result;

  std::string key(const std::string& name) const;  // empty if the cell does not have it
  bool has(const CellKeys& wanted) const;
};

class Findings {
 public:
  explicit Findings(std::vector<Finding> all) : all_(std::move(all)) {}
  // Of all cells but the candidates of a selection. Open cells whose candidates are done must have been decided.
  Findings(const Experiment& experiment, const SweepFolder& folder);

  const std::vector<Finding>& all() const { return all_; }
  std::size_t done() const;

  // The cells with these keys. Throws MissingRuns if there are none or one of them is not done.
  std::vector<const Finding*> where(const CellKeys& keys) const;

  // One value per seed. Throws MissingRuns, also if a value is missing or there is only one seed.
  std::vector<double> values(const CellKeys& keys, const std::string& measure) const;
  Estimate estimate(const CellKeys& keys, const std::string& measure) const;
  // The estimate in percent.
  Estimate points(const CellKeys& keys, const std::string& measure) const;

 private:
  std::vector<Finding> all_;
};

}  // namespace cambium
