// summary_json: the run for programs.

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/run_summary.hpp"

namespace cambium::cli {
namespace {

using Json = nlohmann::ordered_json;

Json layer_json(const HistoryLine& line) {
  Json json{{"layer", line.layer}, {"units", line.units}, {"scores", line.scores}};
  json["runner_up"] = line.runner_up ? Json(*line.runner_up) : Json();
  for (const auto& [name, donors] : line.donors) json[name] = donors;
  return json;
}

template <class Losses>
void add_losses(Json& json, const Losses& of) {
  json["loss_before"] = of.loss_before;
  json["loss_after"] = of.loss_after;
  if (of.loss_rewound) json["loss_rewound"] = *of.loss_rewound;
  json["logit_distance"] = of.logit_distance;
}

Json edits_json(const RunRecord& run, const std::vector<std::size_t>& seeds) {
  Json list = Json::array();
  const auto range = [](const std::optional<Range>& of) {
    return of ? Json{{"lowest", of->lowest}, {"highest", of->highest}} : Json();
  };
  const auto summaries = summarise(run.history);
  for (std::int32_t edit = 0; edit < run.history.edits(); ++edit) {
    const auto& summary = summaries[static_cast<std::size_t>(edit)];
    Json entry{{"event", summary.event}, {"epoch", summary.epoch}, {"step", summary.step}};
    add_losses(entry, summary);
    for (const auto& layer : summary.layers)
      entry["layers"].push_back({{"layer", layer.name},
                                 {"active_before", layer.active_before},
                                 {"active_after", layer.active_after},
                                 {"chosen", range(layer.chosen)},
                                 {"runner_up", range(layer.runner_up)}});
    for (const std::size_t seed : seeds) {
      Json of_seed{{"seed", run.config.seeds[seed]}};
      add_losses(of_seed, run.history.line(edit, seed, 0));
      for (std::size_t layer = 0; layer < summary.layers.size(); ++layer)
        of_seed["layers"].push_back(layer_json(run.history.line(edit, seed, layer)));
      entry["seeds"].push_back(std::move(of_seed));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json ages_json(const RunRecord& run) {
  Json layers = Json::array();
  for (std::size_t layer = 0; layer < run.architecture.hidden.size(); ++layer) {
    Json born = Json::array();
    for (std::int32_t edit = 0; edit < run.history.edits(); ++edit) {
      const HistoryLine& line = run.history.line(edit, 0, layer);
      born.push_back(
          {{"event", line.event}, {"units", line.units.size()}, {"age_epochs", run.periods_of_cycles() - line.epoch}});
    }
    layers.push_back({{"layer", run.architecture.hidden_name(layer)},
                      {"active", run.history.last().active(layer, 0)},
                      {"from_start", run.history.first().active(layer, 0)},
                      {"born", born}});
  }
  return layers;
}

Json life_json(const RunRecord& run, std::size_t seed, std::size_t layer, std::int32_t unit) {
  const UnitLife life = life_of(run.history, seed, layer, unit);
  const char* const names[] = {"always active", "born", "pruned", "never active"};
  Json json{{"seed", run.config.seeds[seed]}, {"life", names[static_cast<std::size_t>(life.kind)]}};
  if (life.line == nullptr) return json;
  const HistoryLine& line = *life.line;
  json.update({{"event", line.event},
               {"epoch", line.epoch},
               {"step", line.step},
               {"rule", run.config.rule()},
               {"score", line.scores[life.rank - 1]},
               {"rank", life.rank},
               {"candidates", life.candidates},
               {"chosen", line.units.size()}});
  json["runner_up"] = line.runner_up ? Json(*line.runner_up) : Json();
  for (const auto& [name, donors] : line.donors) json[name] = donors[life.rank - 1];
  return json;
}

}  // namespace

std::pair<std::size_t, std::int32_t> selected_unit(const RunRecord& run, const SummaryOptions& options) {
  const auto selected = run.layer_and_unit(options.unit);
  if (!run.config.edits())
    throw_input_error("--unit {}: this run is dense and has no edits; show its masks with --tensors", options.unit);
  return selected;
}

nlohmann::ordered_json summary_json(const RunRecord& run, const SummaryOptions& options) {
  const RunConfig& config = run.config;
  std::vector<std::size_t> seeds;
  for (std::size_t i = 0; i < config.seeds.size(); ++i)
    if (!options.seed || i == run.seed_index(*options.seed)) seeds.push_back(i);
  Json json{{"done", run.accuracy.has_value()},
            {"method", name_of(config.method)},
            {"variant", config.variant()},
            {"stream", config.stream().name},
            {"seeds", config.seeds},
            {config.period_name() + std::string("s"), config.periods()},
            {"cycles", config.cycles},
            {"planned_edits", config.events().count()}};
  json["standing"] = run.standing ? Json{{"phase", run.standing->ticket ? "ticket" : "cycles"},
                                         {config.period_name(), run.standing->period},
                                         {"step", run.standing->step},
                                         {"events", run.standing->events}}
                                  : Json();
  if (run.accuracy) json["accuracy"] = run.accuracy->cycles;
  if (run.accuracy && run.accuracy->ticket) json["ticket_accuracy"] = *run.accuracy->ticket;
  json["notes"] = run.history.notes();
  json["edits"] = edits_json(run, seeds);
  if (run.config.method == Method::grow) json["ages"] = ages_json(run);
  if (options.unit.empty()) return json;
  const auto [layer, unit] = selected_unit(run, options);
  json["unit"] = {{"layer", run.architecture.hidden_name(layer)}, {"unit", unit}, {"lives", Json::array()}};
  for (const std::size_t seed : seeds) json["unit"]["lives"].push_back(life_json(run, seed, layer, unit));
  return json;
}

}  // namespace cambium::cli
