#include "cli/run_account.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cambium::cli {
namespace {

using Json = nlohmann::ordered_json;

bool grows(const RunRecord& run) { return run.config.method == Method::grow; }

const char* next_name(const RunRecord& run) { return grows(run) ? "next best" : "next lowest"; }

std::string standing_text(const RunRecord& run) {
  const RunConfig& config = run.config;
  if (run.accuracy) {
    const auto cycles = fmt::format("{} {}s in {} cycles", config.periods(), config.period_name(), config.cycles);
    return fmt::format("done: {}{}", cycles,
                       config.ticket ? fmt::format(", and {} of the ticket", config.periods()) : "");
  }
  if (!run.standing) return "not done, and without a checkpoint yet";
  const ProgressSnapshot& at = *run.standing;
  auto text = fmt::format("not done: {} of {} {}s{} and {} steps at the last checkpoint", at.period, config.periods(),
                          config.period_name(), at.ticket ? " of the ticket" : "", at.step);
  if (config.edits()) text += fmt::format(", {} of {} edits", at.events, config.events().count());
  return text;
}

std::string accuracy_text(const FinalAccuracy& accuracy, std::size_t seeds) {
  auto text = fmt::format("{:.2f}%", 100 * accuracy.cycles);
  if (accuracy.ticket) text += fmt::format(", ticket {:.2f}%", 100 * *accuracy.ticket);
  return seeds > 1 ? fmt::format("{} (means over {} seeds)", text, seeds) : text;
}

// In the order in which units were chosen.
std::string range_text(const std::optional<Range>& range, bool downwards) {
  if (!range) return "-";
  if (range->lowest == range->highest) return fmt::format("{:.4g}", range->lowest);
  return downwards ? fmt::format("{:.4g}..{:.4g}", range->highest, range->lowest)
                   : fmt::format("{:.4g}..{:.4g}", range->lowest, range->highest);
}

// Rows of cells, right-aligned in columns; the first row is the heading.
std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{}{:>{}}", i > 0 ? "  " : "", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

// Items after a heading, in as many lines as it takes.
std::string wrapped(const std::string& heading, const std::vector<std::string>& items, std::size_t columns) {
  std::string text, line = heading;
  bool begun = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto item = items[i] + (i + 1 < items.size() ? "," : "");
    if (begun && line.size() + 1 + item.size() > columns) {
      text += line + "\n";
      line.assign(heading.size(), ' ');
    }
    line += " " + item;
    begun = true;
  }
  return text + line + "\n";
}

std::string edits_table(const RunRecord& run) {
  const auto edits = summarise(run.history);
  const bool rewinds =
      std::any_of(edits.begin(), edits.end(), [](const EditSummary& edit) { return edit.loss_rewound.has_value(); });
  std::vector<std::string> heading{"event", run.config.period_name(), "step", "before", "after"};
  if (rewinds) heading.push_back("rewound");
  for (const auto& name : {"layer", "units", "chosen", next_name(run)}) heading.push_back(name);
  std::vector<std::vector<std::string>> rows{heading};
  for (const auto& edit : edits)
    for (std::size_t layer = 0; layer < edit.layers.size(); ++layer) {
      auto& row = rows.emplace_back(
          layer == 0
              ? std::vector{fmt::format("{}", edit.event), fmt::format("{}", edit.epoch), fmt::format("{}", edit.step),
                            fmt::format("{:.4f}", edit.loss_before), fmt::format("{:.4f}", edit.loss_after)}
              : std::vector<std::string>(5));
      if (rewinds)
        row.push_back(layer == 0 && edit.loss_rewound ? fmt::format("{:.4f}", *edit.loss_rewound) : std::string());
      const auto& of_layer = edit.layers[layer];
      row.push_back(of_layer.name);
      row.push_back(fmt::format("{} -> {}", of_layer.active_before, of_layer.active_after));
      row.push_back(range_text(of_layer.chosen, grows(run)));
      row.push_back(range_text(of_layer.runner_up, grows(run)));
    }
  return table(rows);
}

// "donor 17, moment donor 3" of the unit in a place of a line; empty when there is none.
std::string donors_text(const HistoryLine& line, std::size_t place) {
  std::vector<std::string> parts;
  for (const auto& [name, donors] : line.donors) {
    auto words = name;
    std::replace(words.begin(), words.end(), '_', ' ');
    if (donors[place] >= 0) parts.push_back(fmt::format("{} {}", words, donors[place]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string units_of_seed(const RunRecord& run, std::size_t seed, std::size_t columns) {
  std::string text;
  for (std::size_t layer = 0; layer < run.architecture.hidden.size(); ++layer)
    for (std::int32_t edit = 0; edit < run.history.edits(); ++edit) {
      const HistoryLine& line = run.history.line(edit, seed, layer);
      std::vector<std::string> items;
      for (std::size_t i = 0; i < line.units.size(); ++i) {
        const auto donors = donors_text(line, i);
        items.push_back(
            fmt::format("{} ({:.4g}{}{})", line.units[i], line.scores[i], donors.empty() ? "" : ", ", donors));
      }
      if (items.empty()) items.push_back("none");
      if (line.runner_up) items.push_back(fmt::format("{} {:.4g}", next_name(run), *line.runner_up));
      text += wrapped(fmt::format("{} event {}:", line.layer, line.event), items, columns);
    }
  return text;
}

// How many active units are how old.
std::string ages_table(const RunRecord& run) {
  std::vector<std::vector<std::string>> rows{{"", "from the start"},
                                             {fmt::format("age in {}s", run.config.period_name())}};
  rows[1].push_back(fmt::format("{}", run.periods_of_cycles()));
  for (std::int32_t edit = 0; edit < run.history.edits(); ++edit) {
    const HistoryLine& line = run.history.line(edit, 0, 0);
    rows[0].push_back(fmt::format("event {}", line.event));
    rows[1].push_back(fmt::format("{}", run.periods_of_cycles() - line.epoch));
  }
  for (std::size_t layer = 0; layer < run.architecture.hidden.size(); ++layer) {
    auto& row = rows.emplace_back(std::vector{run.architecture.hidden_name(layer) + " units",
                                              fmt::format("{}", run.history.first().active(layer, 0))});
    for (std::int32_t edit = 0; edit < run.history.edits(); ++edit)
      row.push_back(fmt::format("{}", run.history.line(edit, 0, layer).units.size()));
  }
  return table(rows);
}

std::string life_text(const RunRecord& run, std::size_t seed, std::size_t layer, std::int32_t unit) {
  const UnitLife life = life_of(run.history, seed, layer, unit);
  switch (life.kind) {
    case UnitLife::Kind::always:
      return "active from the start";
    case UnitLife::Kind::never:
      return "never active";
    default:
      break;
  }
  const HistoryLine& line = *life.line;
  const bool born = life.kind == UnitLife::Kind::born;
  const auto place = life.rank - 1;
  auto text = fmt::format("{} at event {}, after {} {} and step {}: {} {:.4g}, {} {} of {}, of which {} were {}",
                          born ? "born" : "pruned", line.event, run.config.period_name(), line.epoch, line.step,
                          run.config.rule(), line.scores[place], born ? "rank" : "rank from below", life.rank,
                          life.candidates, line.units.size(), born ? "recruited" : "removed");
  if (line.runner_up) text += fmt::format("; {} {:.4g}", next_name(run), *line.runner_up);
  if (const auto donors = donors_text(line, place); !donors.empty()) text += "; " + donors;
  return text;
}

// Also refuses a unit of a run that has no history.
std::pair<std::size_t, std::int32_t> wanted_unit(const RunRecord& run, const AccountOptions& options) {
  const auto wanted = run.layer_and_unit(options.unit);
  if (!run.config.edits())
    throw_input_error("--unit {}: this run is dense and has no edits; --tensors shows its masks", options.unit);
  return wanted;
}

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

std::string account_text(const RunRecord& run, const AccountOptions& options) {
  const RunConfig& config = run.config;
  const std::size_t seed = options.seed ? run.seed_index(*options.seed) : 0;
  const auto compactness = config.edits() ? fmt::format(" at compactness {}", config.compactness) : "";
  auto text = fmt::format("{:<16} {} on {}{}, seeds {}\n{:<16} {}\n", "run", config.variant(), config.stream().name,
                          compactness, to_json(config).at("seeds").get<std::string>(), "state", standing_text(run));
  if (run.accuracy)
    text += fmt::format("{:<16} {}\n", "test accuracy", accuracy_text(*run.accuracy, config.seeds.size()));
  text += "\n";
  for (const auto& note : run.history.notes()) text += fmt::format("Note: {}\n\n", note);
  if (!options.unit.empty()) {
    const auto [layer, unit] = wanted_unit(run, options);
    for (std::size_t i = 0; i < config.seeds.size(); ++i)
      if (!options.seed || i == seed)
        text += fmt::format("{} seed {}: {}\n", options.unit, config.seeds[i], life_text(run, i, layer, unit));
    return text;
  }
  if (!config.edits())
    return text + fmt::format("No edits: the units of a dense run stay as they are (masks: {}).\n", config.masks);
  if (run.history.edits() == 0)
    return text + fmt::format("No edits yet; the first comes after {} {}.\n", config.period_name(),
                              config.cycle_end(config.events().first()));
  text += fmt::format("Edits: mean losses over {} seeds, on the event's batch; {} of the chosen units and the next\n",
                      config.seeds.size(), run.config.rule());
  text += edits_table(run) + "\n";
  text += fmt::format("Seed {}: {} units (score), the first to be chosen first\n", config.seeds[seed],
                      grows(run) ? "newborn" : "pruned");
  text += units_of_seed(run, seed, options.columns);
  if (grows(run)) text += "\nActive units by their birth\n" + ages_table(run);
  return text;
}

nlohmann::ordered_json account_json(const RunRecord& run, const AccountOptions& options) {
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
  if (grows(run)) json["ages"] = ages_json(run);
  if (options.unit.empty()) return json;
  const auto [layer, unit] = wanted_unit(run, options);
  json["unit"] = {{"layer", run.architecture.hidden_name(layer)}, {"unit", unit}, {"lives", Json::array()}};
  for (const std::size_t seed : seeds) json["unit"]["lives"].push_back(life_json(run, seed, layer, unit));
  return json;
}

}  // namespace cambium::cli
