// The structural history of runs for a report: active units per hidden layer over time, and every edit in numbers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lab/report/figure.hpp"

namespace cambium {

// Runs to tell about: those named, or the first of every variant that edits, a few at most. Throws InputError, naming
// the nearest, for a name that no cell has.
std::vector<ShownCell> runs_to_tell(std::span<const ShownCell> cells, const std::vector<std::string>& named);

// Active units of the layers over epochs or tasks, a plot per run, edits marked.
Figure history_figure(std::span<const ShownCell> runs);

// The edits of a run, means over the seeds, as a table in HTML.
std::string edit_table(const ShownCell& run);

// A run in a few words: "GROW + RSL, CIFAR-100, 20 %".
std::string run_label(const ShownCell& run);

}  // namespace cambium
