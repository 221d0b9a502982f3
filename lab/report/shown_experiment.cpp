#include "lab/report/shown_experiment.hpp"

#include <algorithm>
#include <cctype>

#include "base/html.hpp"

namespace cambium {
namespace {

// Compares digits as numbers: table-2 before table-10.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0, k = 0;
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && k < b.size()) {
    if (digit(a[i]) && digit(b[k])) {
      std::size_t i_end = i, k_end = k;
      while (i_end < a.size() && digit(a[i_end])) ++i_end;
      while (k_end < b.size() && digit(b[k_end])) ++k_end;
      const auto first = a.substr(i, i_end - i), second = b.substr(k, k_end - k);
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
      i = i_end, k = k_end;
    } else if (a[i] != b[k]) {
      return a[i] < b[k];
    } else {
      ++i, ++k;
    }
  }
  return a.size() - i < b.size() - k;
}

}  // namespace

ShownExperiment show(const Experiment& experiment, const SweepFolder& folder,
                     const std::map<std::string, const CellResult*>& results) {
  ShownExperiment shown{.experiment = &experiment};
  for (const std::size_t place : experiment.compared())
    if (const auto& cell = experiment.cells[place]; results.contains(cell.name))
      shown.cells.push_back({&cell, results.at(cell.name), folder.cell(cell.name), keys_of(cell.config)});
  for (const auto& cell : experiment.cells) {
    if (cell.open())
      ++shown.open;
    else if (results.contains(cell.name))
      ++shown.done;
    else if (folder.failure(cell.name))
      shown.failed.push_back(cell.name);
    else
      shown.unfinished.push_back(cell.name);
  }
  return shown;
}

void sort_by_name(std::vector<Experiment>& experiments) {
  std::stable_sort(experiments.begin(), experiments.end(),
                   [](const auto& a, const auto& b) { return natural_less(name_at_scale(a), name_at_scale(b)); });
}

std::string name_at_scale(const Experiment& experiment) {
  return experiment.scale == Scale::full ? experiment.name : experiment.name + "-" + name_of(experiment.scale);
}

std::string title_at_scale(const Experiment& experiment) {
  return experiment.scale == Scale::full ? experiment.title : experiment.title + " (quick)";
}

std::string anchor(const Experiment& experiment) { return "experiment-" + address(name_at_scale(experiment)); }

}  // namespace cambium
