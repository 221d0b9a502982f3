// What a run is: every key of its configuration, from flags and TOML files alike, with defaults that suit the stream.
//
// Keys arrive as text, by name. Unknown names, values that cannot be, and keys that would have no effect are errors. A
// finished configuration can be written out complete, and reads back as itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "layers/parameters.hpp"
#include "optim/optimizer.hpp"
#include "optim/schedule.hpp"
#include "plasticity/edit.hpp"
#include "plasticity/rewind.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

struct ConfigKey {
  std::string name;   // as in a TOML file; the flag has dashes for underscores
  std::string value;  // what it takes, for the help
  std::string help;
  bool yes_or_no() const { return value == "yes|no"; }
};
std::span<const ConfigKey> config_keys();
// Throws InputError for an unknown key, and names the nearest one; `where` says where the key stands.
void check_name(const std::string& key, const std::string& where);

using ConfigText = std::map<std::string, std::string>;

// The keys of a TOML file. Throws InputError for a file that cannot be read or has unknown keys.
ConfigText read_config(const std::filesystem::path& file);

struct RunConfig {
  CurriculumSettings curriculum;
  std::string network;
  Method method = Method::dense;
  std::vector<std::int32_t> hidden;
  std::string masks;  // of dense: all, random, or a file
  double compactness = 1.0;
  std::string bias_schedule;
  GrowSettings grow;
  RewindSettings rewind;  // of prune
  bool edit_before_first_cycle = false;
  bool ticket = false, fresh_ticket = false;
  bool diagnostics = false;
  float diagnostics_tau = 0.05f;
  Activation activation;
  Initialisation init = Initialisation::kaiming_relu;
  OptimizerSettings optimizer;
  Schedule schedule;
  std::int32_t cycles = 0;
  std::uint32_t evaluation_images = 0;  // of every task of a shifting stream
  bool standardised = false, augment = false;
  std::vector<std::uint32_t> seeds;

  const StreamEntry& stream() const { return curriculum.entry(); }
  std::int32_t periods() const { return curriculum.periods(); }
  // What a period is: an epoch, or a task.
  const char* period_name() const { return stream().kind == StreamEntry::Kind::shifting ? "task" : "epoch"; }
  // The period after which cycle `t` = 1 .. cycles ends, where a task ends if there are several.
  std::int32_t cycle_end(std::int32_t t) const;
  EventPlan events() const { return {method, cycles, edit_before_first_cycle}; }
  // A ticket trains under one uninterrupted schedule.
  Schedule ticket_schedule() const;
  bool edits() const { return method != Method::dense; }
  // What edits choose units by.
  std::string rule() const { return method == Method::grow ? grow.rule : "magnitude"; }
  // What tells the run apart from the plain method, such as grow+two_speed+rsl.
  std::string variant() const;
};

// Fills in defaults and checks everything.
RunConfig make_config(const ConfigText& given);

// The networks of the run.
Architecture architecture_of(const RunConfig& config);
// The units that a run which edits has active at the start.
Structure start_of_edits(const RunConfig& config, const Architecture& architecture);

// Units per hidden layer that the run's budget pays for, and how many are active after so many edits.
std::vector<std::int32_t> target_units(const RunConfig& config, const Architecture& architecture);
std::vector<std::int32_t> planned_units(const RunConfig& config, const Architecture& architecture, std::int32_t events);

// All keys that have an effect, in the order of config_keys().
nlohmann::ordered_json to_json(const RunConfig& config);
std::string to_toml(const RunConfig& config);
// A short name for the configuration: the same for the same.
std::string run_id(const RunConfig& config);

// "1..10", "3", "1,2,5".
std::vector<std::uint32_t> parse_seeds(const std::string& text);

}  // namespace cambium
