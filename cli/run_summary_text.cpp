// summary_text: the run for people.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/run_summary.hpp"
#include "cli/text_table.hpp"

namespace cambium::cli {
namespace {

bool grows(const RunRecord& run) { return run.config.method == Method::grow; }

const char* next_name(const RunRecord& run) { return grows(run) ? "next best" : "next lowest"; }

std::string progress_text(const RunRecord& run) {
  const RunConfig& config = run.config;
  if (run.accuracy) {
    const auto cycles = fmt::format("{} {}s in {} cycles", config.periods(), config.period_name(), config.cycles);
    return fmt::format("done: {}{}", cycles,
                       config.ticket ? fmt::format(", and {} of the ticket phase", config.periods()) : "");
  }
  if (!run.standing) return "not done; no checkpoint yet";
  const ProgressSnapshot& at = *run.standing;
  auto text = fmt::format("not done: {} of {} {}s{} and {} steps at the last checkpoint", at.period, config.periods(),
                          config.period_name(), at.ticket ? " of the ticket phase" : "", at.step);
  if (config.edits()) text += fmt::format(", {} of {} edits", at.events, config.events().count());
  return text;
}

std::string accuracy_text(const FinalAccuracy& accuracy, std::size_t seeds) {
  auto text = fmt::format("{:.2f}%", 100 * accuracy.cycles);
  if (accuracy.ticket) text += fmt::format(", ticket {:.2f}%", 100 * *accuracy.ticket);
  return seeds > 1 ? fmt::format("{} (means over {} seeds)", text, seeds) : text;
}

// The first value belongs to the unit that was chosen first.
std::string range_text(const std::optional<Range>& range, bool downwards) {
  if (!range) return "-";
  if (range->lowest == range->highest) return fmt::format("{:.4g}", range->lowest);
  return downwards ? fmt::format("{:.4g}..{:.4g}", range->highest, range->lowest)
                   : fmt::format("{:.4g}..{:.4g}", range->lowest, range->highest);
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
  return table_text(rows);
}

// "donor 17, moment donor 3" for the unit at index `place` of the line; empty without donors.
std::string donors_text(const HistoryLine& line, std::size_t place) {
  std::vector<std::string> parts;
  for (const auto& [name, donors] : line.donors) {
    auto label = name;
    std::replace(label.begin(), label.end(), '_', ' ');
    if (donors[place] >= 0) parts.push_back(fmt::format("{} {}", label, donors[place]));
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
      text += wrapped_list(fmt::format("{} event {}:", line.layer, line.event), items, columns);
    }
  return text;
}

// Numbers of active units by age.
std::string ages_table(const RunRecord& run) {
  std::vector<std::vector<std::string>> rows{{"", "initial"}, {fmt::format("age in {}s", run.config.period_name())}};
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
  return table_text(rows);
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
  auto text = fmt::format("{} at event {}, after {} {} and step {}: {} {:.4g}, {} {} of {}; {} units {}",
                          born ? "born" : "pruned", line.event, run.config.period_name(), line.epoch, line.step,
                          run.config.rule(), line.scores[place], born ? "rank" : "rank (lowest first)", life.rank,
                          life.candidates, line.units.size(), born ? "recruited" : "removed");
  if (line.runner_up) text += fmt::format("; {} {:.4g}", next_name(run), *line.runner_up);
  if (const auto donors = donors_text(line, place); !donors.empty()) text += "; " + donors;
  return text;
}

}  // namespace

std::string summary_text(const RunRecord& run, const SummaryOptions& options) {
  const RunConfig& config = run.config;
  const std::size_t seed = options.seed ? run.seed_index(*options.seed) : 0;
  const auto compactness = config.edits() ? fmt::format(" at compactness {}", config.compactness) : "";
  auto text = fmt::format("{:<16} {} on {}{}, seeds {}\n{:<16} {}\n", "run", config.variant(), config.stream().name,
                          compactness, to_json(config).at("seeds").get<std::string>(), "state", progress_text(run));
  if (run.accuracy)
    text += fmt::format("{:<16} {}\n", "test accuracy", accuracy_text(*run.accuracy, config.seeds.size()));
  text += "\n";
  for (const auto& note : run.history.notes()) text += fmt::format("Note: {}\n\n", note);
  if (!options.unit.empty()) {
    const auto [layer, unit] = selected_unit(run, options);
    for (std::size_t i = 0; i < config.seeds.size(); ++i)
      if (!options.seed || i == seed)
        text += fmt::format("{} seed {}: {}\n", options.unit, config.seeds[i], life_text(run, i, layer, unit));
    return text;
  }
  if (!config.edits()) return text + fmt::format("No edits: a dense run keeps its units (masks: {}).\n", config.masks);
  if (run.history.edits() == 0)
    return text + fmt::format("No edits yet; the first edit follows {} {}.\n", config.period_name(),
                              config.cycle_end(config.events().first()));
  text += fmt::format("Edits: mean losses over {} seeds on the scoring batch; {} of the chosen units and the next\n",
                      config.seeds.size(), run.config.rule());
  text += edits_table(run) + "\n";
  text += fmt::format("Seed {}: {} units (score), in the order of the choice\n", config.seeds[seed],
                      grows(run) ? "newborn" : "pruned");
  text += units_of_seed(run, seed, options.columns);
  if (grows(run)) text += "\nActive units by birth\n" + ages_table(run);
  return text;
}

}  // namespace cambium::cli
