// Cells that are done, with their keys, their results and the tables in their folders.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/report/panel.hpp"
#include "lab/results/cell_result.hpp"
#include "lab/results/epoch_curves.hpp"
#include "lab/results/parity_table.hpp"

namespace cambium {

struct ShownCell {
  const Cell* cell = nullptr;
  const CellResult* result = nullptr;
  std::filesystem::path folder;
  CellKeys keys;

  std::optional<std::string> value(const std::string& key) const { return value_of(keys, key); }
};

using Cells = std::vector<const ShownCell*>;

// The different values of a key, in the order of the cells; ascending if all are numbers.
std::vector<std::string> distinct_values(const Cells& cells, const std::string& key);
// False for an empty list.
bool all_numbers(const std::vector<std::string>& values);
// NaN if the text is not a number.
double number_of(const std::string& text);

// The tables in the folders of cells. Each is read once, and only the quantities of the panels are kept.
class CellTables {
 public:
  explicit CellTables(std::span<const Panel> panels);

  // Null if the cell has no diagnostics.
  const ParityTable* parities(const ShownCell& cell);
  const EpochCurves& epochs(const ShownCell& cell);

 private:
  std::vector<std::string> wanted_;
  std::map<std::string, ParityTable> parities_;
  std::map<std::string, EpochCurves> epochs_;
};

}  // namespace cambium
