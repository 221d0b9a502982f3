// The result table of an experiment without printed values: one row per cell.
#pragma once

#include "lab/study/printed_table.hpp"

namespace cambium {

// Text for a terminal: the keys in which the cells differ, and mean ± half-width of the 95 % interval of every measure,
// in percent.
std::string to_text(const PrintedTable& table, const Experiment& experiment, const Findings& findings);

// One sentence that compares DENSE, GROW and PRUNE, if the experiment has exactly these variants on one stream at one
// compactness; otherwise empty.
std::string conclusion(const Findings& findings);

}  // namespace cambium
