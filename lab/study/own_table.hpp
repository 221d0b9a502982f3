// The table of an experiment that compares with nothing: a row per cell that is done, and what its results say.
#pragma once

#include "lab/study/printed_table.hpp"

namespace cambium {

// For a terminal: what tells the cells apart, and mean ± half of the 95 % interval of every measure, in percent.
std::string to_text(const PrintedTable& table, const Experiment& experiment, const Findings& findings);

// One sentence on DENSE, GROW and PRUNE, where an experiment has each of them on one stream at one compactness; else
// nothing.
std::string conclusion(const Findings& findings);

}  // namespace cambium
