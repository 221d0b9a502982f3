// The structural history of runs in a report: a figure of the active units per hidden layer, and a table of the edits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/report/figure.hpp"

namespace cambium {

// The named runs or, if none is named, the first run of every variant with edits, up to a maximum. Throws InputError
// with the nearest name for an unknown one.
std::vector<ShownCell> select_history_runs(std::span<const ShownCell> cells, const std::vector<std::string>& named);

// Active units of the layers over epochs or tasks, one plot per run, with a vertical line at every edit.
Figure history_figure(std::span<const ShownCell> runs);

// The edits of a run as an HTML table of means over the seeds; empty if there are none.
std::string edit_table(const ShownCell& run);

// "GROW + RSL, CIFAR-100, 20 %".
std::string run_label(const ShownCell& run);

}  // namespace cambium
