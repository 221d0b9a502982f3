#include "lab/result.hpp"

#include <cmath>
#include <numeric>

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Json summary(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += (value - mean(values)) * (value - mean(values));
  Json json{{"mean", mean(values)}};
  if (values.size() > 1) json["standard_deviation"] = std::sqrt(squares / static_cast<double>(values.size() - 1));
  json["seeds"] = values;
  return json;
}

// Per seed: at the end, and on average over the epochs and over the ends of the cycles.
struct Accuracies {
  std::vector<double> final, over_epochs, over_cycles;

  // `all`: (epochs, R)
  Accuracies(const RunConfig& config, const std::vector<double>& all) {
    const std::size_t replicas = config.seeds.size();
    for (std::size_t r = 0; r < replicas; ++r) {
      const auto at = [&](std::int32_t epoch) { return all[static_cast<std::size_t>(epoch - 1) * replicas + r]; };
      double epochs = 0, cycles = 0;
      for (std::int32_t epoch = 1; epoch <= config.epochs; ++epoch) epochs += at(epoch);
      for (std::int32_t t = 1; t <= config.cycles; ++t) cycles += at(config.cycle_end(t));
      final.push_back(at(config.epochs));
      over_epochs.push_back(epochs / config.epochs);
      over_cycles.push_back(cycles / config.cycles);
    }
  }

  void add_to(Json& json) const {
    json["accuracy"] = summary(final);
    json["taa_epochs"] = summary(over_epochs);
    json["taa_cycles"] = summary(over_cycles);
  }
};

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
  return result;
}

// What a network has cost: active hidden units, summed over the epochs of the cycles.
std::int64_t unit_epochs(const RunConfig& config, const Architecture& architecture, const Structure& structure,
                         std::int32_t replica) {
  std::int64_t sum = 0;
  for (std::int32_t t = 1; t <= config.cycles; ++t) {
    const std::int64_t epochs = config.cycle_end(t) - config.cycle_end(t - 1);
    const auto planned =
        config.edits() ? planned_units(config, architecture, t - config.events().first()) : std::vector<std::int32_t>{};
    for (std::size_t layer = 0; layer < structure.layers(); ++layer)
      sum += epochs * (config.edits() ? planned[layer] : structure.active(layer, replica));
  }
  return sum;
}

}  // namespace

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
  const Accuracies cycles(config, state.ticket ? state.cycles_accuracy : state.test_accuracy);
  cycles.add_to(result);
  if (!state.ticket) return result;
  const Accuracies ticket(config, state.test_accuracy);
  ticket.add_to(result["ticket"]);
  // What starting again with the final structure gains over having got there.
  result["ticket_minus_cycles"] = {{"accuracy", summary(differences(ticket.final, cycles.final))},
                                   {"taa_epochs", summary(differences(ticket.over_epochs, cycles.over_epochs))},
                                   {"taa_cycles", summary(differences(ticket.over_cycles, cycles.over_cycles))},
                                   // As the study prints it: every epoch of the ticket, the ends of the cycles before.
                                   {"taa_study", summary(differences(ticket.over_epochs, cycles.over_cycles))}};
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

}  // namespace cambium
