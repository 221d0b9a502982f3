// An HTML table of the cells of an experiment: the keys in which they differ, and mean ± half-width of the 95 %
// interval of the main measures.
#pragma once

#include <span>
#include <string>

#include "lab/report/plot.hpp"

namespace cambium {

// The cells that are done, sorted by stream, variant and the other keys in which they differ. `cells_address`: the
// prefix of the links to their folders. Empty if no cell is done.
std::string cell_table(const Experiment& experiment, std::span<const ShownCell> cells,
                       const std::string& cells_address);

}  // namespace cambium
