#include "lab/run/result.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/durable_file.hpp"
#include "lab/results/cohort_table.hpp"
#include "lab/results/measures.hpp"

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void add(Json& json, const std::vector<MeasuredValues>& measures) {
  for (const auto& [name, values] : measures) json[name] = summary_of(values);
}

// What a network has cost: active hidden units, summed over the periods of the cycles.
std::int64_t unit_epochs(const RunConfig& config, const Architecture& architecture, const Structure& structure,
                         std::int32_t replica) {
  std::int64_t sum = 0;
  for (std::int32_t t = 1; t <= config.cycles; ++t) {
    const std::int64_t periods = config.cycle_end(t) - config.cycle_end(t - 1);
    const auto planned =
        config.edits() ? planned_units(config, architecture, t - config.events().first()) : std::vector<std::int32_t>{};
    for (std::size_t layer = 0; layer < structure.layers(); ++layer)
      sum += periods * (config.edits() ? planned[layer] : structure.active(layer, replica));
  }
  return sum;
}

}  // namespace

Json summary_of(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += (value - mean(values)) * (value - mean(values));
  Json json{{"mean", mean(values)}};
  if (values.size() > 1) json["standard_deviation"] = std::sqrt(squares / static_cast<double>(values.size() - 1));
  json["seeds"] = values;
  return json;
}

Json make_result(const RunConfig& config, const RunState& state, const Architecture& architecture,
                 const Structure& structure, std::uint64_t steps) {
  Json active = Json::object(), unit_epochs_of = Json::array();
  for (std::int32_t r = 0; r < structure.replicas(); ++r) {
    for (std::size_t layer = 0; layer < structure.layers(); ++layer)
      active[architecture.hidden_name(layer)].push_back(structure.active(layer, r));
    unit_epochs_of.push_back(unit_epochs(config, architecture, structure, r));
  }
  Json result{{"cambium", CAMBIUM_VERSION},
              {"config", to_json(config)},
              {"seeds", config.seeds},
              {"parameters", architecture.parameter_count()},
              {"active_units", active},
              {"active_unit_epochs", unit_epochs_of},
              {"steps", steps}};
  const auto cycles = phase_values(config, state.ticket ? state.cycles_scores : state.scores);
  add(result, cycles);
  if (!state.ticket) return result;
  const auto ticket = phase_values(config, state.scores);
  add(result["ticket"], ticket);
  add(result["ticket_minus_cycles"], gain_values(cycles, ticket));
  return result;
}

Json to_json(const std::vector<ParitySummary>& summaries) {
  Json list = Json::array();
  for (const auto& summary : summaries) {
    Json entry{{"seed", summary.seed}, {"batches", summary.batches}};
    for (const auto& [measure, value] : parity_measures())
      std::visit([&](auto member) { entry[measure.name] = summary.*member; }, value);
    list.push_back(std::move(entry));
  }
  return list;
}

Json write_parities(const std::filesystem::path& folder, const RunConfig& config) {
  std::vector<CohortRow> rows;
  for (auto& record : read_cohorts(folder / "cohorts.csv")) rows.push_back(std::move(record.row));
  const auto found = parities(rows);
  const auto run = columns_of(config);
  std::string text = parity_header();
  for (const auto& row : found.rows) text += format(run, row);
  DurableFile::write(folder / "parities.csv", text);
  return to_json(found.summaries);
}

}  // namespace cambium
