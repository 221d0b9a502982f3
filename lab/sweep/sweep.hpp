// Runs the unfinished cells of an experiment on this machine. Several sweeps of one folder share the work.
#pragma once

#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

struct SweepOptions {
  std::vector<std::size_t> only;  // cells by their place; empty: all
  std::size_t jobs = 1;           // cells that run at a time
  bool retry = false;             // run failed cells again
  bool quiet = false;
  std::vector<std::string> flags;    // of `cambium train`
  std::vector<std::string> devices;  // of the jobs, in turn; empty: the default device
};

struct SweepEnd {
  bool interrupted = false;
  std::vector<std::size_t> failed, unfinished;  // cells by their place
};

// Decides open cells of the experiment when their candidates are done.
SweepEnd sweep(Experiment& experiment, const SweepFolder& folder, const SweepOptions& options);

// The places of the cells in `only` and of their candidates; of all cells if `only` is empty.
std::vector<std::size_t> cells_of(const Experiment& experiment, const std::vector<std::size_t>& only);

}  // namespace cambium
