// A table of an experiment's cells in HTML: the keys in which they differ, and mean ± 95 % interval of the main
// measures.
#pragma once

#include <span>
#include <string>

#include "lab/report/plot.hpp"

namespace cambium {

// Of cells that are done, by stream, variant and then by what else they differ in. `cells_address`: where links to
// their folders begin. Empty when there are none.
std::string cell_table(const Experiment& experiment, std::span<const ShownCell> cells,
                       const std::string& cells_address);

}  // namespace cambium
