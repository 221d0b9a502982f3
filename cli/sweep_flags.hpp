// Flags of the commands that run cells, sweep and reproduce, and running cells as they say: here or on a cluster.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "lab/experiment/sweep_folder.hpp"

namespace cambium::cli {

struct SweepFlags {
  std::vector<std::string> data_folders, devices, sbatch;
  std::string engine = "local", time_limit, graph;
  std::size_t jobs = 0;
  double checkpoint_seconds = 60;
  bool retry = false, quiet = false, no_cache = false, tensorboard = false, detach = false;
};

void add_sweep_flags(CLI::App& command, SweepFlags& flags);
// Throws InputError for flags that do not go together.
void check(const SweepFlags& flags);

// How cells ended: exit codes, and whether all that were asked for are done.
struct CellsEnd {
  int code = 0;
  bool done = false;
};
// Runs cells of an experiment that are not done yet (`only`: by their place; none: all), collects what came out, and
// tells of failures.
CellsEnd run_cells(const SweepFlags& flags, Experiment& experiment, const SweepFolder& folder,
                   const std::vector<std::size_t>& only = {});

}  // namespace cambium::cli
