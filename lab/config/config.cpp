#include "lab/config/config.hpp"

#include <fmt/ranges.h>

#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "lab/config/key.hpp"
#include "layers/architecture.hpp"
#include "plasticity/budget.hpp"
#include "streams/data/catalogue.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_seeds = 1000;

// Sets a key of `config`, whose earlier keys are set, from `given` or by its default.
void set_key(const ConfigKey& key, RunConfig& config, ConfigText& given) {
  const auto found = given.find(key.name);
  const bool is_given = found != given.end();
  if (!key.applies(config)) {
    if (is_given)
      throw_input_error("{} = {}: this has no effect here, because {} applies only {}. Leave it out", key.name,
                        found->second, key.name, key.condition.words);
  } else if (key.replace) {
    if (is_given) key.replace(given);
  } else {
    key.set(config, is_given ? found->second : key.default_value.text(config));
  }
}

}  // namespace

std::int32_t RunConfig::cycle_end(std::int32_t t) const {
  const bool iid = stream().kind == StreamEntry::Kind::iid;
  const std::int64_t parts = iid ? periods() : curriculum.tasks;
  return static_cast<std::int32_t>(parts * t / cycles) * (iid ? 1 : curriculum.periods_per_task());
}

Schedule RunConfig::ticket_schedule() const {
  Schedule result = schedule;
  result.restart_every = 0;
  return result;
}

std::string RunConfig::variant() const {
  std::vector<std::string> parts{name_of(method)};
  if (method == Method::grow && grow.rule != "activation") parts.push_back(grow.rule);
  for (const auto& name : grow.interventions) parts.push_back(name);
  if (activation.kind != Activation::Kind::relu) parts.push_back(name_of(activation.kind));
  return fmt::format("{}", fmt::join(parts, "+"));
}

std::vector<std::uint32_t> parse_seeds(const std::string& text) {
  std::vector<std::uint32_t> seeds;
  const auto wrong = [&] {
    throw_input_error("seeds = {}: write 1..10 or 1,2,5, with at most {} different whole numbers below 2^32", text,
                      most_seeds);
  };
  for (const auto& part : split(text)) {
    const std::size_t dots = part.find("..");
    std::uint32_t first = 0, last = 0;
    if (!parse_number(part.substr(0, dots), first)) wrong();
    last = first;
    if (dots != std::string::npos && !parse_number(part.substr(dots + 2), last)) wrong();
    if (last < first || last - first >= most_seeds - seeds.size()) wrong();
    for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(static_cast<std::uint32_t>(seed));
  }
  if (std::set<std::uint32_t>(seeds.begin(), seeds.end()).size() != seeds.size()) wrong();
  return seeds;
}

RunConfig make_config(const ConfigText& given) {
  ConfigText text = given;
  for (const auto& [name, value] : text) check_name(name, "configuration");
  RunConfig config;
  for (const bool last : {false, true})
    for (const auto& key : config_keys())
      if (key.read_last == last) set_key(key, config, text);
  for (const auto& key : config_keys())
    if (key.check && key.applies(config)) key.check(config);
  return config;
}

Architecture architecture_of(const RunConfig& config) {
  const auto& data = catalogue_entry(config.stream().data);
  return make_architecture(config.network, {data.height, data.width, data.channels}, config.stream().classes,
                           config.hidden);
}

Structure start_of_edits(const RunConfig& config, const Architecture& architecture) {
  if (config.method == Method::grow)
    return random_structure(architecture, config.seeds, planned_units(config, architecture, 0));
  return {architecture, static_cast<std::int32_t>(config.seeds.size())};
}

std::vector<std::int32_t> target_units(const RunConfig& config, const Architecture& architecture) {
  return unit_targets(architecture, config.compactness,
                      bias_schedule(config.bias_schedule, architecture.hidden.size()));
}

std::vector<std::int32_t> planned_units(const RunConfig& config, const Architecture& architecture,
                                        std::int32_t events) {
  const auto targets = target_units(config, architecture);
  std::vector<std::int32_t> units;
  for (std::size_t layer = 0; layer < targets.size(); ++layer) {
    const std::int32_t width = architecture.hidden[layer];
    const std::int32_t start =
        config.method == Method::grow ? seed_units(width, targets[layer], config.grow.seed_fraction) : width;
    units.push_back(active_after(config.events(), start, targets[layer], width, events));
  }
  return units;
}

}  // namespace cambium
