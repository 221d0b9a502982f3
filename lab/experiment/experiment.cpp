#include "lab/experiment/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "base/toml_file.hpp"
#include "lab/config/key.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_cells = 100'000;

// The values that each key takes, one after another.
using Axes = std::vector<std::pair<std::string, std::vector<std::string>>>;

class ExperimentFile {
 public:
  ExperimentFile(const std::string& text, const std::string& source)
      : source_(source), table_(parse_toml(text, source)) {
    static const std::vector<std::string> known{"title", "like",  "all",   "cells", "select",
                                                "full",  "quick", "table", "panel"};
    for (const auto& [name, value] : table_.entries) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const auto near = nearest(name, known);
      throw_input_error(
          "{}: an experiment has no {}. {}", value.where(), name,
          near.empty() ? fmt::format("It has {}.", fmt::join(known, ", ")) : fmt::format("Did you mean {}?", near));
    }
  }

  std::string title(const std::string& otherwise) const {
    const auto* value = table_.find("title");
    return value == nullptr ? otherwise : value->scalar("title");
  }

  // The experiment whose cells this one has; none: it has its own.
  std::string like() const {
    const auto* value = table_.find("like");
    if (value == nullptr) return {};
    for (const auto* own : {"all", "cells", "select", "full", "quick"})
      if (const auto* other = table_.find(own); other != nullptr)
        throw_input_error("{}: an experiment that is like another has its cells, and no {} of its own", other->where(),
                          own);
    return value->scalar("like");
  }

  // The keys of one table; tables in it are left out.
  ConfigText keys(const std::string& name) const {
    const auto* table = find_table(name);
    return table == nullptr ? ConfigText{} : keys(*table);
  }

  // What a scale changes for a stream.
  ConfigText changes(Scale scale, const std::string& stream) const {
    auto result = keys(name_of(scale));
    if (const auto* table = find_table(name_of(scale)); table != nullptr)
      if (const auto* own = table->find(stream); own != nullptr && own->is_table())
        for (const auto& [key, value] : keys(*own)) result[key] = value;
    return result;
  }

  // Streams that a scale names.
  void check_streams(Scale scale, const std::set<std::string>& streams) const {
    const auto* table = find_table(name_of(scale));
    if (table == nullptr) return;
    for (const auto& [stream, value] : table->entries)
      if (value.is_table() && !streams.contains(stream))
        throw_input_error("{}: no cell has the stream {}", value.where(), stream);
  }

  std::vector<Axes> grids() const {
    const auto* array = table_.find("cells");
    if (array == nullptr || !array->is_array_of_tables())
      throw_input_error("{}: there are no cells; begin one with [[cells]]", source_);
    std::vector<Axes> result;
    for (const auto& table : array->items) {
      Axes axes;
      for (const auto& [key, value] : table.entries) axes.push_back(axis(key, value));
      result.push_back(axes);
    }
    return result;
  }

  struct Selection {
    std::string key, seeds = "101..102", by = "average";
    std::vector<std::string> values;
  };
  std::optional<Selection> selection() const {
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
          throw_input_error("{}: {} and {}: only one key can be selected", value.where(), result.key, name);
        std::tie(result.key, result.values) = axis(name, value);
      }
    }
    if (result.values.size() < 2)
      throw_input_error("{}: it needs a key with at least two candidates, such as lr = [0.1, 0.01]", table->where());
    return result;
  }

  const std::string& source() const { return source_; }

 private:
  const TomlValue* find_table(const std::string& name) const {
    const auto* value = table_.find(name);
    if (value != nullptr && !value->is_table())
      throw_input_error("{}: {} is not a table; write [{}]", value->where(), name, name);
    return value;
  }

  ConfigText keys(const TomlValue& table) const {
    ConfigText result;
    for (const auto& [name, value] : table.entries) {
      if (value.is_table()) continue;
      check_name(name, value.where());
      if (value.is_array())
        throw_input_error("{}: {} has a list; lists make cells, and stand in [[cells]]", value.where(), name);
      result[name] = value.scalar(name);
    }
    return result;
  }

  std::pair<std::string, std::vector<std::string>> axis(const std::string& name, const TomlValue& value) const {
    check_name(name, value.where());
    auto values = value.scalars(name);
    if (values.empty()) throw_input_error("{}: {} has no value", value.where(), name);
    return {name, std::move(values)};
  }

  std::string source_;
  TomlValue table_;
};

// Every combination; the last key varies fastest.
std::vector<ConfigText> combinations(const Axes& axes, const std::string& source) {
  std::vector<ConfigText> result{{}};
  for (const auto& [key, values] : axes) {
    std::vector<ConfigText> longer;
    if (result.size() * values.size() > most_cells) throw_input_error("{}: more than {} cells", source, most_cells);
    for (const auto& keys : result)
      for (const auto& value : values) {
        longer.push_back(keys);
        longer.back()[key] = value;
      }
    result = std::move(longer);
  }
  return result;
}

std::string stream_of(const ConfigText& keys) {
  for (const auto* key : {"stream", "data"})
    if (const auto found = keys.find(key); found != keys.end()) return found->second;
  return {};
}

std::string list_of(const ConfigText& keys) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : keys) parts.push_back(fmt::format("{} = {}", key, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Cell make_cell(const ConfigText& keys, const std::string& source) {
  try {
    Cell cell{.keys = keys, .config = make_config(keys)};
    cell.name = cell_name(cell.config);
    return cell;
  } catch (const InputError& wrong) {
    throw_input_error("{}: the cell with {}: {}", source, list_of(keys), wrong.what());
  }
}

// All cells of a file at the experiment's scale.
void add_cells(Experiment& experiment, const ExperimentFile& file) {
  const auto& source = file.source();
  const auto selection = file.selection();
  if (selection) {
    experiment.selected_key = selection->key;
    experiment.selected_by = selection->by;
  }
  const auto common = file.keys("all");
  struct Wanted {
    ConfigText keys;
    bool select = false;
    std::vector<std::size_t> candidates;
  };
  std::vector<Wanted> all;
  std::set<std::string> streams;
  for (const auto& axes : file.grids())
    for (const auto& own : combinations(axes, source)) {
      auto keys = common;
      for (const auto& [key, value] : own) keys[key] = value;
      if (selection && keys.contains(selection->key))
        throw_input_error("{}: {} is selected, but a cell has its own, {}", source, selection->key,
                          keys.at(selection->key));
      streams.insert(stream_of(keys));
      for (const auto& [key, value] : file.changes(experiment.scale, stream_of(keys))) keys[key] = value;
      all.push_back({keys, selection && !keys.contains(selection->key), {}});
      if (all.size() > most_cells) throw_input_error("{}: more than {} cells", source, most_cells);
    }
  for (const auto each : {Scale::full, Scale::quick}) file.check_streams(each, streams);

  std::set<std::string> names;
  const auto add = [&](Cell cell) {
    if (!cell.open() && !names.insert(cell.name).second)
      throw_input_error("{}: two cells are the same: {}", source, list_of(cell.keys));
    experiment.cells.push_back(std::move(cell));
  };
  for (auto& wanted : all) {
    if (!wanted.select) continue;
    for (const auto& value : selection->values) {
      auto keys = wanted.keys;
      keys[selection->key] = value;
      keys["seeds"] = selection->seeds;
      wanted.candidates.push_back(experiment.cells.size());
      add(make_cell(keys, source));
    }
  }
  for (auto& wanted : all) {
    if (wanted.select) wanted.keys[selection->key] = selection->values.front();
    auto cell = make_cell(wanted.keys, source);
    cell.candidates = wanted.candidates;
    if (wanted.select) cell.name.clear();
    add(std::move(cell));
  }
}

}  // namespace

Scale parse_scale(const std::string& text) {
  if (text == "full") return Scale::full;
  if (text == "quick") return Scale::quick;
  throw_input_error("--scale {}: there are full and quick", text);
}

const char* name_of(Scale scale) { return scale == Scale::full ? "full" : "quick"; }

std::string cell_name(const RunConfig& config) {
  auto name = fmt::format("{}-{}", config.curriculum.stream, config.variant());
  if (config.compactness < 1) name += fmt::format("-{}", std::lround(100 * config.compactness));
  return fmt::format("{}-{}", name, run_id(config));
}

void Experiment::decide(std::size_t cell, std::size_t best) {
  Cell& open = cells.at(cell);
  open.keys[selected_key] = cells.at(best).keys.at(selected_key);
  open.config = make_config(open.keys);
  open.name = cell_name(open.config);
}

std::vector<std::size_t> Experiment::compared() const {
  std::set<std::size_t> candidates;
  for (const auto& cell : cells) candidates.insert(cell.candidates.begin(), cell.candidates.end());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (!candidates.contains(i)) places.push_back(i);
  return places;
}

Experiment parse_experiment(const std::string& text, const std::string& source, const std::string& name, Scale scale,
                            const ExperimentText& text_of_other) {
  const ExperimentFile own(text, source);
  Experiment experiment{.name = name, .title = own.title(name), .scale = scale, .text = text, .like = own.like()};
  if (experiment.like.empty()) {
    add_cells(experiment, own);
    return experiment;
  }
  experiment.like_text = text_of_other(experiment.like);
  const ExperimentFile other(experiment.like_text, experiment.like);
  if (!other.like().empty())
    throw_input_error("{}: {} is itself like {}; name that", source, experiment.like, other.like());
  add_cells(experiment, other);
  return experiment;
}

Experiment read_experiment(const std::filesystem::path& file, Scale scale) {
  return parse_experiment(
      read_text_file(file), file.string(), file.stem().string(), scale,
      [&](const std::string& name) { return read_text_file(file.parent_path() / (name + ".toml")); });
}

}  // namespace cambium
