// The report of a sweep: one page that tells what was run where, and what came out, with figures. See docs/figures.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cambium {

struct ReportOptions {
  std::filesystem::path out;         // the page; empty: FOLDER/report/index.html. Figures lie beside it.
  std::vector<std::string> history;  // cells whose structural history is told; none: one of every kind
};

// Writes the page and its figures, and returns where the page is. Throws InputError when the folder is not that of a
// sweep.
std::filesystem::path write_report(const std::filesystem::path& folder, const ReportOptions& options);

}  // namespace cambium
