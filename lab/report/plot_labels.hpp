// Labels of the axes of a panel's plots.
#pragma once

#include <string>

#include "lab/report/panel.hpp"
#include "lab/report/shown_cell.hpp"

namespace cambium {

// `cells`: the cells that the panel shows.
std::string x_axis_label(const Panel& panel, const Cells& cells);
std::string y_axis_label(const Panel& panel, const Cells& cells);

}  // namespace cambium
