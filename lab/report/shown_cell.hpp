// Cells that are done, with what came out of them: values of their keys, and the tables in their folders.
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
  nlohmann::ordered_json json;  // its configuration

  std::optional<std::string> value(const std::string& key) const { return value_of(cell->config, json, key); }
};

using Cells = std::vector<const ShownCell*>;

// The values of a key, in the order of the cells; numbers ascend.
std::vector<std::string> distinct_values(const Cells& cells, const std::string& key);
bool all_numbers(const std::vector<std::string>& values);  // and not none
double number_of(const std::string& text);                 // NaN for what is none

// Tables of cells' folders, each read once, of which only what is wanted is kept.
class CellTables {
 public:
  explicit CellTables(std::span<const Panel> panels);

  // Null for a cell without diagnostics.
  const ParityTable* parities(const ShownCell& cell);
  const EpochCurves& epochs(const ShownCell& cell);

 private:
  std::vector<std::string> wanted_;
  std::map<std::string, ParityTable> parities_;
  std::map<std::string, EpochCurves> epochs_;
};

}  // namespace cambium
