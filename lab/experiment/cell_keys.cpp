#include "lab/experiment/cell_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace cambium {
namespace {

// A JSON value as text in a TOML file or a flag.
std::string text_of(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

}  // namespace

CellKeys keys_of(const RunConfig& config) {
  const bool random_units = !config.edits() && config.masks == "random";
  CellKeys keys{{"variant", config.variant() + (random_units ? "+random" : "")}};
  const auto json = to_json(config);
  for (const auto& [key, value] : json.items()) {
    if (!value.is_array()) {
      keys[key] = text_of(value);
      continue;
    }
    std::vector<std::string> parts;
    for (const auto& part : value) parts.push_back(text_of(part));
    keys[key] = fmt::format("{}", fmt::join(parts, ","));
  }
  return keys;
}

std::optional<std::string> value_of(const CellKeys& keys, const std::string& key) {
  const auto found = keys.find(key == "data" ? "stream" : key);
  return found == keys.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> distinguishing_keys(const Experiment& experiment, const std::vector<CellKeys>& cells) {
  std::set<std::string> given;
  for (const auto& cell : experiment.cells)
    for (const auto& [key, value] : cell.keys) given.insert(key == "data" ? "stream" : key);
  // The variant includes the first five; the last three do not distinguish cells.
  static const std::set<std::string> excluded{"method", "grow_score", "intervention", "activation",
                                              "masks",  "seeds",      "ticket",       "diagnostics"};
  std::vector<std::string> keys{"stream", "variant", "compactness"};
  for (const auto& key : given)
    if (!excluded.contains(key) && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  if (!experiment.selected_key.empty() && !given.contains(experiment.selected_key))
    keys.push_back(experiment.selected_key);
  std::erase_if(keys, [&](const std::string& key) {
    std::set<std::optional<std::string>> values;
    for (const auto& cell : cells) values.insert(cell.contains(key) ? std::optional(cell.at(key)) : std::nullopt);
    return values.size() < 2;
  });
  if (keys.empty()) keys.push_back("variant");
  return keys;
}

}  // namespace cambium
