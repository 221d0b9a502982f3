// Configurations as TOML and JSON.

#include <algorithm>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/toml_file.hpp"
#include "lab/config/config_reader.hpp"

namespace cambium {
namespace {

// 1..10 where they follow each other.
std::string to_text(const std::vector<std::uint32_t>& seeds) {
  const bool run = seeds.size() > 1 && seeds.back() - seeds.front() == seeds.size() - 1 &&
                   std::is_sorted(seeds.begin(), seeds.end());
  return run ? fmt::format("{}..{}", seeds.front(), seeds.back()) : fmt::format("{}", fmt::join(seeds, ","));
}

// The shortest decimal number that is this float.
double decimal(float value) { return std::stod(fmt::format("{}", value)); }

void add_edits(nlohmann::ordered_json& json, const RunConfig& config) {
  if (const GrowSettings& grow = config.grow; config.method == Method::grow) {
    json["seed_fraction"] = grow.seed_fraction;
    json["grow_score"] = grow.rule;
    if (grow.rule == "activation") json["tau"] = decimal(grow.tau);
    const auto& names = grow.interventions;
    json["intervention"] = names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","));
    if (std::count(names.begin(), names.end(), "two_speed") > 0) {
      json["two_speed_r"] = decimal(grow.intervention.two_speed_factor);
      json["two_speed_steps"] = grow.intervention.two_speed_steps;
    }
    if (std::count(names.begin(), names.end(), "net2wider") > 0)
      json["net2wider_eps"] = decimal(grow.intervention.net2wider_epsilon);
  }
  if (const RewindSettings& rewind = config.rewind; config.method == Method::prune) {
    json["rewind_to"] = name_of(rewind.to);
    if (rewind.to == RewindSettings::To::snapshot) json["rewind_epoch"] = rewind.epoch;
    if (rewind.to != RewindSettings::To::none) {
      json["rewind_scope"] = name_of(rewind.scope);
      json["rewind_opt"] = rewind.optimizer;
      json["rewind_when_k0"] = rewind.when_nothing;
    }
  }
  json["first_edit"] = config.edit_before_first_cycle ? "before_first_cycle" : "after_first_cycle";
  json["ticket"] = config.ticket;
  if (config.ticket) json["wt_init"] = config.fresh_ticket ? "fresh" : "original";
  json["diagnostics"] = config.diagnostics;
  if (config.diagnostics) json["tau_diagnostics"] = decimal(config.diagnostics_tau);
}

void add_length(nlohmann::ordered_json& json, const RunConfig& config) {
  const StreamEntry& stream = config.stream();
  const CurriculumSettings& settings = config.curriculum;
  const bool iid = stream.kind == StreamEntry::Kind::iid;
  if (!iid) json["tasks"] = settings.tasks;
  if (settings.steps_per_task > 0)
    json["steps_per_task"] = settings.steps_per_task;
  else
    json[iid ? "epochs" : "epochs_per_task"] = settings.epochs_per_task;
  json["cycles"] = config.cycles;
  json["batch"] = settings.batch;
  if (stream.choose_images) json["task_images"] = settings.task_images;
  if (stream.permutes) json["permute_first"] = !settings.keep_first;
  if (stream.kind == StreamEntry::Kind::shifting) json["evaluation_images"] = config.evaluation_images;
  if (stream.kind == StreamEntry::Kind::class_incremental) json["replay"] = settings.replay ? "tiny_er" : "none";
  if (!settings.replay) return;
  json["replay_per_class"] = settings.limits.per_class;
  json["replay_total"] = settings.limits.in_all;
}

}  // namespace

ConfigText read_config(const std::filesystem::path& file) {
  ConfigText result;
  const auto table = read_toml(file);
  for (const auto& [name, value] : table.entries) {
    check_name(name, value.where());
    result[name] = fmt::format("{}", fmt::join(value.scalars(name), ","));
  }
  return result;
}

nlohmann::ordered_json to_json(const RunConfig& config) {
  const bool adam = config.optimizer.kind == OptimizerSettings::Kind::adam;
  const bool cosine = config.schedule.kind == Schedule::Kind::cosine;
  nlohmann::ordered_json json{{"stream", config.curriculum.stream},
                              {"network", config.network},
                              {"hidden", config.hidden},
                              {"method", name_of(config.method)}};
  if (!config.edits()) json["masks"] = config.masks;
  if (config.edits() || config.masks == "random") {
    json["compactness"] = config.compactness;
    json["bias_schedule"] = config.bias_schedule;
  }
  if (config.edits()) add_edits(json, config);
  json["activation"] = name_of(config.activation.kind);
  if (config.activation.kind != Activation::Kind::relu) {
    json["rsl_c"] = decimal(config.activation.c);
    json["rsl_p"] = decimal(config.activation.p);
  }
  if (config.activation.kind == Activation::Kind::rsl) {
    json["rsl_lower"] = decimal(config.activation.lower);
    json["rsl_upper"] = decimal(config.activation.upper);
  }
  if (config.activation.kind == Activation::Kind::smooth_leaky) json["leaky_alpha"] = decimal(config.activation.alpha);
  json["init"] = config.init == Initialisation::kaiming_stock ? "kaiming_stock" : "kaiming_relu";
  json["optimizer"] = adam ? "adam" : "sgd";
  json["lr"] = config.schedule.rate;
  if (!adam) json["momentum"] = decimal(config.optimizer.momentum);
  json["weight_decay"] = decimal(config.optimizer.weight_decay);
  json["lr_schedule"] = cosine ? "cosine" : "constant";
  if (cosine) {
    json["t_max"] = config.schedule.t_max;
    json["lr_mode"] = config.schedule.restart_every > 0 ? "restart" : "global";
  }
  add_length(json, config);
  json["pixels"] = config.standardised ? "standardised" : "unit";
  json["augment"] = config.augment;
  json["seeds"] = to_text(config.seeds);
  return json;
}

std::string to_toml(const RunConfig& config) {
  std::string text;
  const auto json = to_json(config);
  for (const auto& [key, value] : json.items()) text += fmt::format("{} = {}\n", key, value.dump());
  return text;
}

std::string run_id(const RunConfig& config) {
  const std::string text = to_toml(config);
  return content_hash(std::span(&text, 1)).substr(0, 8);
}

}  // namespace cambium
