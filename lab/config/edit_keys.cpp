// Keys of the budget, of grow and of its interventions.

#include <algorithm>

#include "base/text.hpp"
#include "lab/config/key_types.hpp"
#include "plasticity/budget.hpp"
#include "plasticity/selection.hpp"

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;

KeyCondition with_budget() {
  return {"with method = grow or prune, or masks = random",
          [](const RunConfig& config) { return config.edits() || config.masks == "random"; }};
}
const char* const with_grow_words = "with method = grow";
bool grows(const RunConfig& config) { return config.method == Method::grow; }

KeyCondition with_intervention(const std::string& name) {
  return {"with intervention = " + name, [name](const RunConfig& config) {
            return std::count(config.grow.interventions.begin(), config.grow.interventions.end(), name) > 0;
          }};
}

std::string rules_help() {
  std::string text = "Rule by which grow selects units:";
  for (const auto& rule : selection_rules()) text += fmt::format(" {} ({}),", rule.name, rule.help);
  text.pop_back();
  return text;
}

std::string interventions_help() {
  std::string text = "What grow does for newborn units, one or several:";
  for (const auto& entry : interventions()) text += fmt::format(" {} ({}),", entry.name, entry.help);
  text.pop_back();
  return text;
}

ConfigKey bias_schedule_key() {
  auto key = choice(
      {.name = "bias_schedule",
       .label = "budget",
       .help = "How the hidden layers share the budget",
       .default_value = always("neutral"),
       .condition = with_budget(),
       // Throws if the schedule does not fit the number of hidden layers.
       .check = [](const RunConfig& config) { bias_schedule(config.bias_schedule, config.hidden.size()); }},
      bias_schedule_names(), [](auto& config) -> auto& { return config.bias_schedule; });
  return key;
}

void set_interventions(RunConfig& config, const std::string& text) {
  auto names = split(text);
  if (names == std::vector<std::string>{"none"}) names.clear();
  for (const auto& name : names) intervention(name);  // throws for an unknown one
  config.grow.interventions.clear();
  // In the order of the table, so that the order in `text` does not matter.
  for (const auto& entry : interventions()) {
    const auto times = std::count(names.begin(), names.end(), entry.name);
    if (times > 1) throw_input_error("intervention = {}: {} is given twice", text, entry.name);
    if (times == 1) config.grow.interventions.push_back(entry.name);
  }
}

void check_interventions(const RunConfig& config) {
  for (const auto& name : config.grow.interventions)
    if (const auto& entry = intervention(name); entry.why_not != nullptr)
      if (const auto reason = entry.why_not(config.optimizer); !reason.empty())
        throw_input_error("intervention = {}: {}", name, reason);
}

ConfigKey intervention_key() {
  ConfigKey key{.name = "intervention",
                .label = "intervention",
                .help = interventions_help(),
                .default_value = always("none"),
                .condition = {with_grow_words, grows},
                .check = check_interventions};
  key.placeholder = "NAME[,NAME...]";
  key.values = fmt::format("none, or one or several of {}, separated by commas", fmt::join(intervention_names(), ", "));
  key.set = set_interventions;
  key.get = [](const RunConfig& config) {
    const auto& names = config.grow.interventions;
    return Json(names.empty() ? "none" : fmt::format("{}", fmt::join(names, ",")));
  };
  return key;
}

}  // namespace

std::vector<ConfigKey> edit_keys() {
  return {
      number(
          {.name = "compactness",
           .label = "compactness",
           .help = "Fraction of the hidden layers' weights that the final structure may have "
                   "(see docs/plasticity.md for the exact budget)",
           .default_value = always("0.2"),
           .condition = with_budget()},
          1e-6, 1.0, [](auto& config) -> auto& { return config.compactness; }),
      bias_schedule_key(),
      number(
          {.name = "seed_fraction",
           .label = "share of units at the start",
           .help = "Fraction of each hidden layer's units that are active when grow starts",
           .default_value = always("0.1"),
           .condition = {with_grow_words, grows}},
          1e-6, 1.0, [](auto& config) -> auto& { return config.grow.seed_fraction; }),
      choice(
          {.name = "grow_score",
           .label = "growth rule",
           .help = rules_help(),
           .default_value = always("activation"),
           .condition = {with_grow_words, grows},
           .placeholder = "RULE"},
          selection_rule_names(), [](auto& config) -> auto& { return config.grow.rule; }),
      number(
          {.name = "tau",
           .label = "tau",
           .help = "Threshold above which the activation rule counts an output as active",
           .default_value = always("0.05"),
           .condition = {"with method = grow and grow_score = activation",
                         [](const RunConfig& config) { return grows(config) && config.grow.rule == "activation"; }}},
          -1e6, 1e6, [](auto& config) -> auto& { return config.grow.tau; }),
      intervention_key(),
      number(
          {.name = "two_speed_r",
           .label = "Two-Speed factor",
           .help = "Two-Speed: factor on the learning rate of newborn units",
           .default_value = always("5"),
           .condition = with_intervention("two_speed")},
          1e-3, 1e3, [](auto& config) -> auto& { return config.grow.intervention.two_speed_factor; }),
      count(
          {.name = "two_speed_steps",
           .label = "Two-Speed steps",
           .unit = "steps",
           .help = "Two-Speed: number of steps from its birth in which a unit learns faster",
           .default_value = always("1955"),
           .condition = with_intervention("two_speed")},
          1'000'000'000, [](auto& config) -> auto& { return config.grow.intervention.two_speed_steps; }),
      number(
          {.name = "net2wider_eps",
           .label = "Net2Wider noise",
           .help = "Net2Wider: noise on copied weights, relative to their standard deviation",
           .default_value = always("0.001"),
           .condition = with_intervention("net2wider")},
          0.0, 1e3, [](auto& config) -> auto& { return config.grow.intervention.net2wider_epsilon; }),
  };
}

}  // namespace cambium
