// Runs the cells of an experiment that are not done yet, on this machine. Several sweeps of one folder share the work.
#pragma once

#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

struct SweepOptions {
  std::vector<std::size_t> only;  // cells by their place; none: all
  std::size_t jobs = 1;           // at a time
  bool retry = false;             // cells that failed
  bool quiet = false;
  std::vector<std::string> flags;    // of `cambium train`
  std::vector<std::string> devices;  // jobs take turns; none: the default
};

struct SweepEnd {
  bool interrupted = false;
  std::vector<std::size_t> failed, unfinished;  // cells by their place
};

// Open cells of the experiment are decided as it goes.
SweepEnd sweep(Experiment& experiment, const SweepFolder& folder, const SweepOptions& options);

// The places of all cells, or of `only` those and the candidates that they wait for.
std::vector<std::size_t> cells_of(const Experiment& experiment, const std::vector<std::size_t>& only);

}  // namespace cambium
