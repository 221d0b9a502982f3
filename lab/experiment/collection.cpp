#include "lab/experiment/collection.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/durable_file.hpp"
#include "lab/results/run_columns.hpp"

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;

Json line_of(const CollectedCell& cell) {
  Json measures = Json::object();
  for (const auto& [name, values] : cell.result.measures) {
    const auto estimate = cell.result.estimate_of(name);
    measures[name] = {{"mean", estimate.mean},
                      {"standard_deviation", estimate.deviation},
                      {"half_width", estimate.half_width},
                      {"seeds", estimate.count}};
  }
  return {{"cell", cell.name}, {"config", to_json(cell.config)}, {"measures", measures}};
}

}  // namespace

std::vector<CollectedCell> collect(const std::vector<Experiment>& experiments, const SweepFolder& folder) {
  std::vector<CollectedCell> result;
  std::set<std::string> names;
  for (const auto& experiment : experiments)
    for (const auto& cell : experiment.cells)
      if (!cell.open() && folder.done(cell.name) && names.insert(cell.name).second)
        result.push_back(
            {cell.config, cell.name, read_cell_result(folder.cell(cell.name) / "result.json", cell.config)});
  return result;
}

void write_collection(const SweepFolder& folder) {
  const FileLock guard = folder.lock("collection");
  const auto cells = collect(folder.experiments(), folder);
  std::set<std::string> columns;
  for (const auto& cell : cells)
    for (const auto& [name, values] : cell.result.measures) columns.insert(name);
  std::string lines, rows = fmt::format("cell,{},lr,seed", run_columns);
  for (const auto& name : columns) rows += fmt::format(",{}", name);
  rows += "\n";
  for (const auto& cell : cells) {
    lines += line_of(cell).dump() + "\n";
    for (std::size_t i = 0; i < cell.result.seeds.size(); ++i) {
      rows += fmt::format("{},{},{},{}", cell.name, format(columns_of(cell.config)), cell.config.schedule.rate,
                          cell.result.seeds[i]);
      for (const auto& name : columns)
        rows += fmt::format(",{}", cell.result.has(name) ? table_number(cell.result.of(name)[i]) : "");
      rows += "\n";
    }
  }
  DurableFile::write(folder.path() / "cells.jsonl", lines);
  DurableFile::write(folder.path() / "seeds.csv", rows);
}

}  // namespace cambium
