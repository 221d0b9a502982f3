// What came out of the cells of an experiment, as two files that pandas reads in one line (docs/results.md):
//
//   cells.jsonl  a line per cell: its configuration, and mean, deviation and interval of every measure
//   seeds.csv    a row per cell and seed, a column per measure
//
// Both are functions of the cells' results: whoever writes them, after whatever interruptions, writes the same bytes.
#pragma once

#include "lab/experiment/sweep_folder.hpp"
#include "lab/results/cell_result.hpp"

namespace cambium {

struct CollectedCell {
  RunConfig config;
  std::string name;
  CellResult result;
};

// Those cells of experiments that are done, in their order, each once.
std::vector<CollectedCell> collect(const std::vector<Experiment>& experiments, const SweepFolder& folder);

// Writes both files, of all cells in the folder that belong to an experiment kept there. Waits for whoever else does.
void write_collection(const SweepFolder& folder);

}  // namespace cambium
