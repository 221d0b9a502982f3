// Keys of prune's rewind, and of what grow and prune share: the first edit, the ticket and the diagnostics.

#include "lab/config/key_types.hpp"

namespace cambium {
namespace {

using To = RewindSettings::To;
using Scope = RewindSettings::Scope;

bool prunes(const RunConfig& config) { return config.method == Method::prune; }
KeyCondition with_rewind() {
  return {"with method = prune, unless rewind_to = none",
          [](const RunConfig& config) { return prunes(config) && config.rewind.to != To::none; }};
}
KeyCondition with_edits() {
  return {"with method = grow or prune", [](const RunConfig& config) { return config.edits(); }};
}

std::string yes_unless_shifting(const RunConfig& config) {
  return config.stream().kind == StreamEntry::Kind::shifting ? "no" : "yes";
}

void check_rewind_epoch(const RunConfig& config) {
  const std::int32_t first = config.cycle_end(config.events().first());
  if (config.rewind.epoch <= first) return;
  throw_input_error(
      "rewind_epoch = {}: the first edit comes after {} {}s, before the snapshot would be taken. Use at most {}, or "
      "rewind_to = init",
      config.rewind.epoch, first, config.period_name(), first);
}

}  // namespace

std::vector<ConfigKey> rewind_keys() {
  return {
      choice<To>(
          {.name = "rewind_to",
           .label = "rewind to",
           .help = "Weights that prune restores at an edit: the initial ones, those of the snapshot that is "
                   "taken after rewind_epoch, or none",
           .default_value = always("init"),
           .condition = {"with method = prune", prunes}},
          {{"init", To::init}, {"snapshot", To::snapshot}, {"none", To::none}},
          [](auto& config) -> auto& { return config.rewind.to; }),
      count(
          {.name = "rewind_epoch",
           .label = "rewind epoch",
           .unit = "epochs, or tasks of a shifting stream",
           .help = "When the snapshot is taken; not later than the first edit",
           .default_value = always("1"),
           .condition = {"with method = prune and rewind_to = snapshot",
                         [](const RunConfig& config) { return prunes(config) && config.rewind.to == To::snapshot; }},
           .check = check_rewind_epoch},
          1'000'000, [](auto& config) -> auto& { return config.rewind.epoch; }),
      choice<Scope>(
          {.name = "rewind_scope",
           .label = "rewind scope",
           .help = "Layers that a rewind restores: all, the fully connected ones (head), or the hidden ones "
                   "(masked)",
           .default_value = always("all"),
           .condition = with_rewind()},
          {{"all", Scope::all}, {"head", Scope::head}, {"masked", Scope::masked}},
          [](auto& config) -> auto& { return config.rewind.scope; }),
      yes_or_no(
          {.name = "rewind_opt",
           .label = "rewind resets optimizer",
           .help = "Reset optimizer state at a rewind",
           .default_value = always("yes"),
           .condition = with_rewind()},
          [](auto& config) -> auto& { return config.rewind.optimizer; }),
      yes_or_no(
          {.name = "rewind_when_k0",
           .label = "rewind without removal",
           .help = "Rewind also at an edit that removes no unit",
           .default_value = always("yes"),
           .condition = with_rewind()},
          [](auto& config) -> auto& { return config.rewind.when_nothing; }),
      choice<bool>(
          {.name = "first_edit",
           .label = "first edit",
           .help = "When the first edit takes place",
           .default_value = always("after_first_cycle"),
           .condition = with_edits()},
          {{"after_first_cycle", false}, {"before_first_cycle", true}},
          [](auto& config) -> auto& { return config.edit_before_first_cycle; }),
      yes_or_no(
          {.name = "ticket",
           .label = "ticket",
           .help = "After the run, train the final structure (winning ticket) from the start, without edits",
           .default_value = depends("yes; no for shifting streams", yes_unless_shifting),
           .condition = with_edits()},
          [](auto& config) -> auto& { return config.ticket; }),
      choice<bool>(
          {.name = "wt_init",
           .label = "ticket initialization",
           .help = "Initial weights of the ticket: those of the run, or a fresh draw",
           .default_value = always("original"),
           .condition = {"with ticket = yes", [](const RunConfig& config) { return config.ticket; }}},
          {{"original", false}, {"fresh", true}}, [](auto& config) -> auto& { return config.fresh_ticket; }),
      yes_or_no(
          {.name = "diagnostics",
           .label = "diagnostics",
           .help = "Record signals of newborn and incumbent units, or of kept and pruned units",
           .default_value = depends("yes; no for shifting streams", yes_unless_shifting),
           .condition = with_edits()},
          [](auto& config) -> auto& { return config.diagnostics; }),
      number(
          {.name = "tau_diagnostics",
           .label = "tau of the diagnostics",
           .help = "Threshold above which the diagnostics count an output as active",
           .default_value = always("0.05"),
           .condition = {"with diagnostics = yes", [](const RunConfig& config) { return config.diagnostics; }}},
          -1e6, 1e6, [](auto& config) -> auto& { return config.diagnostics_tau; }),
  };
}

}  // namespace cambium
