#include "lab/study/findings.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "lab/results/labels.hpp"

namespace cambium {
namespace {

// The keys as text, with the stream first and the compactness last.
std::string list_of(const CellKeys& keys) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& key, const char* before) {
    if (const auto found = keys.find(key); found != keys.end() && !found->second.empty())
      parts.push_back(before + value_label(key, found->second));
  };
  add("stream", "");
  for (const auto& [key, value] : keys)
    if (key != "stream" && key != "compactness") add(key, "");
  add("compactness", "at ");
  return parts.empty() ? "a cell" : fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace

std::string Finding::key(const std::string& name) const {
  const auto found = keys.find(name);
  return found == keys.end() ? "" : found->second;
}

bool Finding::has(const CellKeys& wanted) const {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& each) { return key(each.first) == each.second; });
}

Findings::Findings(const Experiment& experiment, const SweepFolder& folder) {
  for (const std::size_t place : experiment.compared()) {
    const Cell& cell = experiment.cells[place];
    Finding finding{.keys = keys_of(cell.config), .name = cell.name};
    if (!cell.open()) {
      finding.folder = folder.cell(cell.name);
      if (folder.done(cell.name)) finding.result = read_cell_result(finding.folder / "result.json", cell.config);
    }
    all_.push_back(std::move(finding));
  }
}

std::size_t Findings::done() const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [](const Finding& each) { return each.result.has_value(); }));
}

std::vector<const Finding*> Findings::where(const CellKeys& keys) const {
  std::vector<const Finding*> found;
  for (const auto& each : all_)
    if (each.has(keys)) {
      if (!each.result) throw MissingRuns(fmt::format("{} is not done", list_of(keys)));
      found.push_back(&each);
    }
  if (found.empty()) throw MissingRuns(fmt::format("there is no cell {}", list_of(keys)));
  return found;
}

std::vector<double> Findings::values(const CellKeys& keys, const std::string& measure) const {
  const auto cells = where(keys);
  std::vector<double> sums(cells.front()->result->seeds.size());
  if (sums.size() < 2) throw MissingRuns(fmt::format("{} has only one seed", list_of(keys)));
  for (const auto* cell : cells) {
    if (cell->result->seeds != cells.front()->result->seeds)
      throw MissingRuns(fmt::format("cells {} have different seeds", list_of(keys)));
    const auto& values = cell->result->of(measure);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i] / static_cast<double>(cells.size());
  }
  if (std::any_of(sums.begin(), sums.end(), [](double value) { return std::isnan(value); }))
    throw MissingRuns(fmt::format("{}: a seed has no {}", list_of(keys), measure));
  return sums;
}

Estimate Findings::estimate(const CellKeys& keys, const std::string& measure) const {
  return cambium::estimate(values(keys, measure));
}

Estimate Findings::points(const CellKeys& keys, const std::string& measure) const {
  auto all = values(keys, measure);
  for (auto& value : all) value *= 100;
  return cambium::estimate(all);
}

}  // namespace cambium
