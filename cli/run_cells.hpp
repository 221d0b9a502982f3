// Runs the cells of an experiment, on this machine or on a SLURM cluster, and reports failures.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/sweep_flags.hpp"

namespace cambium {
struct Experiment;
class SweepFolder;
}  // namespace cambium

namespace cambium::cli {

struct CellsEnd {
  int code = 0;           // exit code
  bool all_done = false;  // every cell that was asked for has a result
};

// Runs the cells that are not done; `only` selects cells by their index (empty: all). Writes the collected results.
CellsEnd run_cells(const SweepFlags& flags, Experiment& experiment, const SweepFolder& folder,
                   const std::vector<std::size_t>& only = {});

}  // namespace cambium::cli
