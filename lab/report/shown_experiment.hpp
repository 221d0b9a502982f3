// The experiments of a sweep, with the state and the results of their cells.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/sweep_folder.hpp"
#include "lab/report/shown_cell.hpp"

namespace cambium {

struct ShownExperiment {
  const Experiment* experiment = nullptr;
  std::vector<ShownCell> cells;                 // done, without candidates of a selection
  std::size_t done = 0;                         // including candidates
  std::vector<std::string> failed, unfinished;  // names of cells
  std::size_t open = 0;                         // cells whose selected key is not known yet
  std::optional<std::size_t> figure;            // its place among the figures of the report
};

// `results`: of the cells that are done, by name. They and the experiment outlive what is returned.
ShownExperiment show(const Experiment& experiment, const SweepFolder& folder,
                     const std::map<std::string, const CellResult*>& results);

// By name; numbers in names are compared as numbers, so that table-2 comes before table-10.
void sort_by_name(std::vector<Experiment>& experiments);

// The name, with the scale unless it is full: both scales may be in one folder.
std::string name_at_scale(const Experiment& experiment);
std::string title_at_scale(const Experiment& experiment);
// The id of its section in the page.
std::string anchor(const Experiment& experiment);

}  // namespace cambium
