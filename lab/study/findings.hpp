// What came out of the cells of an experiment, asked for by what they are:
//
//   findings.points({{"stream", "mnist"}, {"variant", "grow"}, {"compactness", "0.2"}}, "ticket.accuracy")
//
// Keys are those of a configuration, or variant. A key with no value wants a cell that does not have it, as DENSE has
// no compactness. Where several cells fit, their values are averaged seed by seed.
#pragma once

#include <optional>
#include <stdexcept>

#include "lab/experiment/cell_keys.hpp"
#include "lab/experiment/sweep_folder.hpp"
#include "lab/results/cell_result.hpp"

namespace cambium {

// Runs that a question needs are not done, or have too few seeds. Says which.
struct MissingRuns : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Finding {
  CellKeys keys;
  std::string name;              // empty while a key is still to be selected
  std::filesystem::path folder;  // of the run
  std::optional<CellResult> result;

  std::string key(const std::string& name) const;  // empty where it has none
  bool has(const CellKeys& wanted) const;
};

class Findings {
 public:
  explicit Findings(std::vector<Finding> all) : all_(std::move(all)) {}
  // Of the cells that are there to be compared. Open cells of the experiment must have been decided.
  Findings(const Experiment& experiment, const SweepFolder& folder);

  const std::vector<Finding>& all() const { return all_; }
  std::size_t done() const;

  // Cells with these keys, done. Throws MissingRuns unless there are any and all of them are done.
  std::vector<const Finding*> where(const CellKeys& keys) const;

  // One value per seed. Throws MissingRuns; also where a value is missing or a seed is alone.
  std::vector<double> values(const CellKeys& keys, const std::string& measure) const;
  Estimate estimate(const CellKeys& keys, const std::string& measure) const;
  // In percent.
  Estimate points(const CellKeys& keys, const std::string& measure) const;

 private:
  std::vector<Finding> all_;
};

}  // namespace cambium
