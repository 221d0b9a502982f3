#include "lab/report/shown_cell.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "lab/config/config.hpp"

namespace cambium {

bool all_numbers(const std::vector<std::string>& values) {
  double number = 0;
  return !values.empty() &&
         std::all_of(values.begin(), values.end(), [&](const auto& text) { return parse_number(text, number); });
}

double number_of(const std::string& text) {
  double number = NAN;
  parse_number(text, number);
  return number;
}

std::vector<std::string> distinct_values(const Cells& cells, const std::string& key) {
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const auto* cell : cells)
    if (const auto value = cell->value(key); value && seen.insert(*value).second) values.push_back(*value);
  if (all_numbers(values))
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return number_of(a) < number_of(b); });
  return values;
}

CellTables::CellTables(std::span<const Panel> panels) {
  std::set<std::string> names;
  for (const auto& panel : panels) {
    names.insert(panel.x);
    names.insert(panel.y.begin(), panel.y.end());
  }
  wanted_.assign(names.begin(), names.end());
}

const ParityTable* CellTables::parities(const ShownCell& cell) {
  if (!cell.cell->config.diagnostics) return nullptr;
  auto found = parities_.find(cell.cell->name);
  if (found == parities_.end())
    found = parities_
                .emplace(cell.cell->name,
                         ParityTable::read(cell.folder / "parities.csv", cell.cell->config.seeds, 1, wanted_))
                .first;
  return &found->second;
}

const EpochCurves& CellTables::epochs(const ShownCell& cell) {
  auto found = epochs_.find(cell.cell->name);
  if (found == epochs_.end())
    found = epochs_.emplace(cell.cell->name, EpochCurves::read(cell.folder / "epochs.csv", cell.cell->config)).first;
  return found->second;
}

}  // namespace cambium
