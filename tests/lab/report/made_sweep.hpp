// A sweep that nobody ran: the folder of an experiment whose cells are done, with numbers that are made up but look
// like those of a study (sparse networks a little better with more units, newborns behind in gradient, and so on).
#pragma once

#include <filesystem>

#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

struct MadeSweep {
  std::size_t cells = static_cast<std::size_t>(-1);  // of the experiment, at most
  bool tables = true;                                // also epochs.csv, parities.csv and events.jsonl
};

// Cells whose value is selected are made after their candidates.
void make_sweep(const Experiment& experiment, const SweepFolder& folder, const MadeSweep& options = {});

// The files of one run that is done.
void make_run(const RunConfig& config, const std::filesystem::path& folder, bool tables);

}  // namespace cambium
