// Configurations as TOML and JSON.

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/toml_file.hpp"
#include "lab/config/key.hpp"

namespace cambium {

ConfigText read_config(const std::filesystem::path& file) {
  ConfigText result;
  const auto table = read_toml(file);
  for (const auto& [name, value] : table.entries) {
    check_name(name, value.where());
    result[name] = fmt::format("{}", fmt::join(value.scalars(name), ","));
  }
  return result;
}

nlohmann::ordered_json to_json(const RunConfig& config) {
  nlohmann::ordered_json json;
  for (const auto& key : config_keys())
    if (key.get && key.applies(config)) json[key.name] = key.get(config);
  return json;
}

std::string to_toml(const RunConfig& config) {
  std::string text;
  const auto json = to_json(config);
  for (const auto& [key, value] : json.items()) text += fmt::format("{} = {}\n", key, value.dump());
  return text;
}

std::string run_id(const RunConfig& config) {
  const std::string text = to_toml(config);
  return content_hash(std::span(&text, 1)).substr(0, 8);
}

}  // namespace cambium
