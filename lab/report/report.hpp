// The report of a sweep: one HTML page with the devices, the results and the figures of all experiments. It loads
// nothing from the network and adapts to light and dark, wide and narrow screens.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/report/plot.hpp"

namespace cambium {

// Returns HTML that is inserted after the figure of an experiment; may be empty. `cells`: the cells that are done.
using ExperimentSection = std::function<std::string(const Experiment& experiment, std::span<const ShownCell> cells)>;

struct ReportOptions {
  std::filesystem::path out;         // the page; empty: FOLDER/report/index.html. Figures go to figures/ beside it.
  std::vector<std::string> history;  // cells whose structural history is shown; empty: the first of every variant
  std::vector<ExperimentSection> sections;
};

// Writes the page and its figures and returns the path of the page. Throws InputError if the folder is not a sweep's.
std::filesystem::path write_report(const std::filesystem::path& folder, const ReportOptions& options);

}  // namespace cambium
