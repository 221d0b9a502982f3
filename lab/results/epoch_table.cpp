#include "lab/results/epoch_table.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/results/measures.hpp"
#include "lab/results/run_columns.hpp"

namespace cambium {
namespace {

// A loss that is infinite is written as missing, as in metrics.jsonl.
std::string field(double value) { return table_number(std::isfinite(value) ? value : NAN); }

}  // namespace

std::string metrics_line(const EpochRecord& record) {
  nlohmann::ordered_json line{{"phase", record.phase},  {"cycle", record.cycle}, {"task", record.task},
                              {"epoch", record.period}, {"step", record.step},   {"lr", record.rate}};
  for (const auto& seed : record.seeds) {
    for (const auto& [measure, value] : epoch_measures()) line[measure.name].push_back(seed.*value);
    line["active_units"].push_back(seed.active_units);
  }
  return line.dump() + "\n";
}

std::string epoch_table_header(const Architecture& architecture) {
  auto line = fmt::format("{},seed,phase,cycle,task,epoch,step,lr", run_columns);
  for (const auto& [measure, value] : epoch_measures()) line += "," + measure.name;
  for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer)
    line += ",active_" + architecture.hidden_name(layer);
  return line + "\n";
}

std::string epoch_table_rows(const EpochRecord& record, const RunConfig& config) {
  std::string rows;
  const auto front = format(columns_of(config));
  for (std::size_t r = 0; r < record.seeds.size(); ++r) {
    const auto& seed = record.seeds[r];
    rows += fmt::format("{},{},{},{},{},{},{},{}", front, config.seeds[r], record.phase, record.cycle, record.task,
                        record.period, record.step, record.rate);
    for (const auto& [measure, value] : epoch_measures()) rows += "," + field(seed.*value);
    rows += fmt::format(",{}\n", fmt::join(seed.active_units, ","));
  }
  return rows;
}

}  // namespace cambium
