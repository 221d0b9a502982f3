// The study "On the Stability of Growth in Structural Plasticity" as experiments, one for every table and figure, which
// are embedded in the program; and their results in a sweep's folder.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/embedded_file.hpp"
#include "lab/results/parity_table.hpp"
#include "lab/study/findings.hpp"

namespace cambium {

std::span<const EmbeddedFile> study_files();

// table-1, table-3, ..., figure-1, ..., in the order of the study, then the experiments of single claims.
std::vector<std::string> study_names();
bool in_study(const std::string& name);
// Throws InputError with the nearest name if there is no such table or figure.
Experiment study_experiment(const std::string& name, Scale scale);

// The results of all experiments of the study in a folder. Each file is read once.
class Study {
 public:
  Study(const SweepFolder& folder, Scale scale) : folder_(folder), scale_(scale) {}

  const Findings& of(const std::string& name) const;
  // The diagnostics of a run. Throws MissingRuns if it has none.
  const ParityTable& parities(const Finding& finding) const;

 private:
  const SweepFolder& folder_;
  Scale scale_;
  mutable std::map<std::string, Findings> findings_;     // by the experiment that has the cells
  mutable std::map<std::string, ParityTable> parities_;  // by cell
};

}  // namespace cambium
