// The configuration of a run, as a plain struct, and its forms as text, JSON and TOML.
//
// Keys arrive as text, by name, from flags and TOML files. Unknown keys, wrong values and keys that would have no
// effect are errors. lab/config/key.hpp declares the keys; to_toml() writes a complete configuration that reads back
// as the same one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "layers/parameters.hpp"
#include "optim/optimizer.hpp"
#include "optim/schedule.hpp"
#include "plasticity/edit.hpp"
#include "plasticity/rewind.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

// Keys and their values, as flags would give them.
using ConfigText = std::map<std::string, std::string>;

// Reads the keys of a TOML file. Throws InputError for a file that cannot be read or has unknown keys.
ConfigText read_config(const std::filesystem::path& file);

struct RunConfig {
  CurriculumSettings curriculum;
  std::string network;
  Method method = Method::dense;
  std::vector<std::int32_t> hidden;
  std::string masks;  // method = dense only: all, random, or a file
  double compactness = 1.0;
  std::string bias_schedule;
  GrowSettings grow;
  RewindSettings rewind;  // method = prune only
  bool edit_before_first_cycle = false;
  bool ticket = false, fresh_ticket = false;
  bool diagnostics = false;
  float diagnostics_tau = 0.05f;
  Activation activation;
  Initialisation init = Initialisation::kaiming_relu;
  OptimizerSettings optimizer;
  Schedule schedule;
  std::int32_t cycles = 0;
  std::uint32_t evaluation_images = 0;  // of each earlier task of a shifting stream
  bool standardised = false, augment = false;
  std::vector<std::uint32_t> seeds;

  const StreamEntry& stream() const { return curriculum.entry(); }
  std::int32_t periods() const { return curriculum.periods(); }
  // "epoch", or "task" for a shifting stream.
  const char* period_name() const { return stream().kind == StreamEntry::Kind::shifting ? "task" : "epoch"; }
  // The period after which cycle `t` = 1 .. cycles ends. A stream's cycle ends with a task.
  std::int32_t cycle_end(std::int32_t t) const;
  EventPlan events() const { return {method, cycles, edit_before_first_cycle}; }
  // The ticket's schedule has no restarts.
  Schedule ticket_schedule() const;
  bool edits() const { return method != Method::dense; }
  // The rule by which edits select units.
  std::string rule() const { return method == Method::grow ? grow.rule : "magnitude"; }
  // The method with its rule, interventions and activation where they are not the defaults: grow+two_speed+rsl.
  std::string variant() const;
};

// Sets all keys, checks them and fills in the defaults. Throws InputError.
RunConfig make_config(const ConfigText& given);

Architecture architecture_of(const RunConfig& config);
// The structure before the first edit. For grow: the random seed units; for prune: all units.
Structure start_of_edits(const RunConfig& config, const Architecture& architecture);

// Units per hidden layer: the target that compactness allows, and the number active after `events` edits.
std::vector<std::int32_t> target_units(const RunConfig& config, const Architecture& architecture);
std::vector<std::int32_t> planned_units(const RunConfig& config, const Architecture& architecture, std::int32_t events);

// All keys that have an effect, in the order of config_keys().
nlohmann::ordered_json to_json(const RunConfig& config);
std::string to_toml(const RunConfig& config);
// Eight hexadecimal digits: a hash of to_toml().
std::string run_id(const RunConfig& config);

// Parses "1..10", "3" or "1,2,5". Throws InputError.
std::vector<std::uint32_t> parse_seeds(const std::string& text);

}  // namespace cambium
