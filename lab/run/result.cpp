#include "lab/run/result.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "base/durable_file.hpp"
#include "lab/results/cohort_table.hpp"

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// What came out of one phase, per seed; what a stream does not have is empty. Names are those of result.json.
using Measures = std::vector<std::pair<std::string, std::vector<double>>>;

// Means of (periods, R) test accuracies, over all periods or over the ends of the cycles.
std::vector<double> over_periods(const RunConfig& config, const std::vector<double>& all, bool cycle_ends) {
  const std::size_t replicas = config.seeds.size();
  std::vector<double> means;
  for (std::size_t r = 0; r < replicas; ++r) {
    double sum = 0;
    const std::int32_t count = cycle_ends ? config.cycles : config.periods();
    for (std::int32_t i = 1; i <= count; ++i)
      sum += all[static_cast<std::size_t>((cycle_ends ? config.cycle_end(i) : i) - 1) * replicas + r];
    means.push_back(sum / count);
  }
  return means;
}

Measures measures_of(const RunConfig& config, const PhaseScores& scores) {
  const auto tasks = measure(config, scores);
  Measures all{{"accuracy", tasks.acc}};
  if (config.stream().kind != StreamEntry::Kind::shifting)
    all.emplace_back("taa_epochs", over_periods(config, scores.test_accuracy, false));
  if (config.stream().kind == StreamEntry::Kind::iid) {
    all.emplace_back("taa_cycles", over_periods(config, scores.test_accuracy, true));
    return all;
  }
  all.emplace_back("taa_tasks", tasks.taa);
  all.emplace_back("pooled_accuracy", tasks.pooled);
  all.emplace_back("early_tasks", tasks.early_tasks);
  all.emplace_back("forgetting", tasks.forgetting);
  all.emplace_back("taoa", tasks.taoa);
  for (std::size_t i = 0; i < early_count; ++i) all.emplace_back(early_window_name(i), tasks.early_window[i]);
  return all;
}

void add(Json& json, const Measures& measures) {
  for (const auto& [name, values] : measures)
    if (!values.empty()) json[name] = summary_of(values);
}

const std::vector<double>& find(const Measures& measures, const std::string& name) {
  return std::find_if(measures.begin(), measures.end(), [&](const auto& entry) { return entry.first == name; })->second;
}

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
  return result;
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
  const auto cycles = measures_of(config, state.ticket ? state.cycles_scores : state.scores);
  add(result, cycles);
  if (!state.ticket) return result;
  const auto ticket = measures_of(config, state.scores);
  add(result["ticket"], ticket);
  // What starting again with the final structure gains over having got there.
  Json& gains = result["ticket_minus_cycles"];
  for (std::size_t i = 0; i < ticket.size(); ++i)
    if (!ticket[i].second.empty()) gains[ticket[i].first] = summary_of(differences(ticket[i].second, cycles[i].second));
  // As the study prints it: every epoch of the ticket, the ends of the cycles before.
  if (config.stream().kind == StreamEntry::Kind::iid)
    gains["taa_study"] = summary_of(differences(find(ticket, "taa_epochs"), find(cycles, "taa_cycles")));
  return result;
}

Json to_json(const std::vector<ParitySummary>& summaries) {
  Json list = Json::array();
  for (const auto& summary : summaries)
    list.push_back({{"seed", summary.seed},
                    {"batches", summary.batches},
                    {"early_activation_log_parity_5", summary.early_activation_5},
                    {"early_gradient_log_parity_5", summary.early_gradient_5},
                    {"early_activation_log_parity_10", summary.early_activation_10},
                    {"early_gradient_log_parity_10", summary.early_gradient_10},
                    {"event_activation_log_parity", summary.event_activation},
                    {"event_gradient_log_parity", summary.event_gradient},
                    {"segment_activation_log_parity", summary.segment_activation},
                    {"survivor_stability", summary.survivor_stability},
                    {"survivor_stability_log", summary.survivor_stability_log},
                    {"mask_stability", summary.mask_stability},
                    {"mask_stability_log", summary.mask_stability_log},
                    {"dead_activation", summary.dead_activation},
                    {"dead_gradient", summary.dead_gradient}});
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
