// Generates the folder of a sweep whose cells are done, with plausible numbers: sparse networks improve with more
// units, newborns have smaller gradients, and so on.
#pragma once

#include <filesystem>

#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

struct MadeSweep {
  std::size_t cells = static_cast<std::size_t>(-1);  // the first cells of the experiment, at most
  bool tables = true;                                // also epochs.csv, parities.csv and events.jsonl
};

// Open cells are made after their candidates.
void make_sweep(const Experiment& experiment, const SweepFolder& folder, const MadeSweep& options = {});

// Generates the files of one finished run.
void make_run(const RunConfig& config, const std::filesystem::path& folder, bool tables);

}  // namespace cambium
