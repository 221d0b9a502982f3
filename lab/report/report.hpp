// The report of a sweep: one page that tells what was run where, and what came out, with figures. It needs no network,
// and suits light and dark, wide and narrow screens.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lab/report/plot.hpp"

namespace cambium {

// More to tell about an experiment, as HTML, after its figure; empty for nothing. Gets those of its cells that are
// done.
using ExperimentSection = std::function<std::string(const Experiment& experiment, std::span<const ShownCell> cells)>;

struct ReportOptions {
  std::filesystem::path out;         // the page; empty: FOLDER/report/index.html. Figures lie beside it.
  std::vector<std::string> history;  // cells whose structural history is told; none: one of every kind
  std::vector<ExperimentSection> sections;
};

// Writes the page and its figures, and returns where the page is. Throws InputError when the folder is not that of a
// sweep.
std::filesystem::path write_report(const std::filesystem::path& folder, const ReportOptions& options);

}  // namespace cambium
