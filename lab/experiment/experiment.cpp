#include "lab/experiment/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "lab/experiment/experiment_file.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_cells = 100'000;

// Every combination of values. The last key varies fastest.
std::vector<ConfigText> combinations(const Axes& axes, const std::string& source) {
  std::vector<ConfigText> result{{}};
  for (const auto& [key, values] : axes) {
    std::vector<ConfigText> longer;
    if (result.size() * values.size() > most_cells)
      throw_input_error("{}: the experiment has more than {} cells", source, most_cells);
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
    throw_input_error("{}: cell with {}: {}", source, list_of(keys), wrong.what());
  }
}

// Adds all cells of a file at the experiment's scale: first the candidates of the selection, then the others.
void add_cells(Experiment& experiment, const ExperimentFile& file) {
  const auto& source = file.source();
  const auto selection = file.selection();
  if (selection) {
    experiment.selected_key = selection->key;
    experiment.selected_by = selection->by;
  }
  const auto common = file.keys("all");
  struct PlannedCell {
    ConfigText keys;
    bool open = false;  // the value of the selected key is not known yet
    std::vector<std::size_t> candidates;
  };
  std::vector<PlannedCell> planned;
  std::set<std::string> streams;
  for (const auto& axes : file.grids())
    for (const auto& own : combinations(axes, source)) {
      auto keys = common;
      for (const auto& [key, value] : own) keys[key] = value;
      if (selection && keys.contains(selection->key))
        throw_input_error("{}: [select] selects {}, but a cell sets it to {}", source, selection->key,
                          keys.at(selection->key));
      streams.insert(stream_of(keys));
      for (const auto& [key, value] : file.changes(experiment.scale, stream_of(keys))) keys[key] = value;
      planned.push_back({keys, selection && !keys.contains(selection->key), {}});
      if (planned.size() > most_cells)
        throw_input_error("{}: the experiment has more than {} cells", source, most_cells);
    }
  for (const auto each : {Scale::full, Scale::quick}) file.check_streams(each, streams);

  std::set<std::string> names;
  const auto add = [&](Cell cell) {
    if (!cell.open() && !names.insert(cell.name).second)
      throw_input_error("{}: two cells are equal: {}", source, list_of(cell.keys));
    experiment.cells.push_back(std::move(cell));
  };
  for (auto& entry : planned) {
    if (!entry.open) continue;
    for (const auto& value : selection->values) {
      auto keys = entry.keys;
      keys[selection->key] = value;
      keys["seeds"] = selection->seeds;
      entry.candidates.push_back(experiment.cells.size());
      add(make_cell(keys, source));
    }
  }
  for (auto& entry : planned) {
    if (entry.open) entry.keys[selection->key] = selection->values.front();
    auto cell = make_cell(entry.keys, source);
    cell.candidates = entry.candidates;
    if (entry.open) cell.name.clear();
    add(std::move(cell));
  }
}

}  // namespace

Scale parse_scale(const std::string& text) {
  if (text == "full") return Scale::full;
  if (text == "quick") return Scale::quick;
  throw_input_error("--scale {}: unknown scale. Choose full or quick.", text);
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
  const ExperimentFile file(text, source);
  Experiment experiment{.name = name, .title = file.title(name), .scale = scale, .text = text, .like = file.like()};
  if (experiment.like.empty()) {
    add_cells(experiment, file);
    return experiment;
  }
  experiment.like_text = text_of_other(experiment.like);
  const ExperimentFile other(experiment.like_text, experiment.like);
  if (!other.like().empty())
    throw_input_error("{}: {} is itself `like` {}. Write like = \"{}\".", source, experiment.like, other.like(),
                      other.like());
  add_cells(experiment, other);
  return experiment;
}

Experiment read_experiment(const std::filesystem::path& file, Scale scale) {
  return parse_experiment(
      read_text_file(file), file.string(), file.stem().string(), scale,
      [&](const std::string& name) { return read_text_file(file.parent_path() / (name + ".toml")); });
}

}  // namespace cambium
