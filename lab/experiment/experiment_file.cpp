#include "lab/experiment/experiment_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "base/error.hpp"
#include "lab/config/key.hpp"

namespace cambium {

ExperimentFile::ExperimentFile(const std::string& text, const std::string& source)
    : source_(source), table_(parse_toml(text, source)) {
  static const std::vector<std::string> known{"title", "like",  "all",   "cells", "select",
                                              "full",  "quick", "table", "panel"};
  for (const auto& [name, value] : table_.entries) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest(name, known);
    throw_input_error(
        "{}: unknown key '{}' of an experiment. {}", value.where(), name,
        near.empty() ? fmt::format("Known keys: {}.", fmt::join(known, ", ")) : fmt::format("Did you mean {}?", near));
  }
}

std::string ExperimentFile::title(const std::string& otherwise) const {
  const auto* value = table_.find("title");
  return value == nullptr ? otherwise : value->scalar("title");
}

std::string ExperimentFile::like() const {
  const auto* value = table_.find("like");
  if (value == nullptr) return {};
  for (const auto* own : {"all", "cells", "select", "full", "quick"})
    if (const auto* other = table_.find(own); other != nullptr)
      throw_input_error("{}: `like` cannot be combined with [{}]", other->where(), own);
  return value->scalar("like");
}

ConfigText ExperimentFile::keys(const std::string& name) const {
  const auto* table = find_table(name);
  return table == nullptr ? ConfigText{} : keys(*table);
}

ConfigText ExperimentFile::changes(Scale scale, const std::string& stream) const {
  auto result = keys(name_of(scale));
  if (const auto* table = find_table(name_of(scale)); table != nullptr)
    if (const auto* own = table->find(stream); own != nullptr && own->is_table())
      for (const auto& [key, value] : keys(*own)) result[key] = value;
  return result;
}

void ExperimentFile::check_streams(Scale scale, const std::set<std::string>& streams) const {
  const auto* table = find_table(name_of(scale));
  if (table == nullptr) return;
  for (const auto& [stream, value] : table->entries)
    if (value.is_table() && !streams.contains(stream))
      throw_input_error("{}: no cell has the stream {}", value.where(), stream);
}

std::vector<Axes> ExperimentFile::grids() const {
  const auto* array = table_.find("cells");
  if (array == nullptr || !array->is_array_of_tables())
    throw_input_error("{}: the experiment has no cells. Add a table [[cells]].", source_);
  std::vector<Axes> result;
  for (const auto& table : array->items) {
    Axes axes;
    for (const auto& [key, value] : table.entries) axes.push_back(axis(key, value));
    result.push_back(axes);
  }
  return result;
}

std::optional<ExperimentFile::Selection> ExperimentFile::selection() const {
  const auto* table = find_table("select");
  if (table == nullptr) return {};
  Selection result;
  for (const auto& [name, value] : table->entries) {
    if (name == "seeds") {
      result.seeds = value.scalar(name);
    } else if (name == "by") {
      result.by = value.scalar(name);
    } else {
      if (!result.key.empty())
        throw_input_error("{}: [select] has the keys {} and {}, but only one key can be selected", value.where(),
                          result.key, name);
      std::tie(result.key, result.values) = axis(name, value);
    }
  }
  if (result.values.size() < 2)
    throw_input_error("{}: [select] needs a key with at least two candidates, such as lr = [0.1, 0.01]",
                      table->where());
  return result;
}

const TomlValue* ExperimentFile::find_table(const std::string& name) const {
  const auto* value = table_.find(name);
  if (value != nullptr && !value->is_table())
    throw_input_error("{}: {} is not a table. Write [{}].", value->where(), name, name);
  return value;
}

ConfigText ExperimentFile::keys(const TomlValue& table) const {
  ConfigText result;
  for (const auto& [name, value] : table.entries) {
    if (value.is_table()) continue;
    check_name(name, value.where());
    if (value.is_array())
      throw_input_error("{}: {} has a list of values. Lists are only allowed in [[cells]] and [select].", value.where(),
                        name);
    result[name] = value.scalar(name);
  }
  return result;
}

std::pair<std::string, std::vector<std::string>> ExperimentFile::axis(const std::string& name,
                                                                      const TomlValue& value) const {
  check_name(name, value.where());
  auto values = value.scalars(name);
  if (values.empty()) throw_input_error("{}: {} has no value", value.where(), name);
  return {name, std::move(values)};
}

}  // namespace cambium
