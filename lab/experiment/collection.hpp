// The results of all cells of a sweep as two files that pandas reads in one line (docs/results.md):
//
//   cells.jsonl  a line per cell: its configuration, and mean, standard deviation and interval of every measure
//   seeds.csv    a row per cell and seed, a column per measure
//
// The bytes of both depend on the results of the cells only, not on the order in which they were run.
#pragma once

#include "lab/experiment/sweep_folder.hpp"
#include "lab/results/cell_result.hpp"

namespace cambium {

struct CollectedCell {
  RunConfig config;
  std::string name;
  CellResult result;
};

// The cells of the experiments that are done, in their order, each once.
std::vector<CollectedCell> collect(const std::vector<Experiment>& experiments, const SweepFolder& folder);

// Writes both files, with all cells of the experiments in the folder. Waits while another process writes them.
void write_collection(const SweepFolder& folder);

}  // namespace cambium
