// Keys of the optimizer and of the learning rate.

#include "lab/config/key_types.hpp"
#include "lab/config/study_presets.hpp"

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;
using Kind = OptimizerSettings::Kind;

constexpr double any_number = 1e30;

KeyCondition with_cosine() {
  return {"with lr_schedule = cosine",
          [](const RunConfig& config) { return config.schedule.kind == Schedule::Kind::cosine; }};
}

const StudyPreset& preset_of(const RunConfig& config) { return study_preset(config.curriculum.stream); }

// The study's rate if the optimizer is the study's, otherwise a usual rate of the optimizer.
double default_rate(const RunConfig& config) {
  const StudyPreset& preset = preset_of(config);
  if (config.optimizer.kind == preset.optimizer)
    return config.activation.kind == Activation::Kind::rsl ? preset.rate_with_slopes : preset.rate;
  if (config.optimizer.kind == Kind::adam) return 0.001;
  return preset.network == "convnet" ? 0.1 : 0.01;
}

ConfigKey lr_mode_key() {
  ConfigKey key{.name = "lr_mode",
                .label = "learning rate mode",
                .help = "One cosine for the whole run (global), or a new one in every cycle (restart)",
                .default_value = depends("restart for grow and prune, else global",
                                         [](const RunConfig& config) { return config.edits() ? "restart" : "global"; }),
                .condition = with_cosine()};
  key.placeholder = "global|restart";
  key.values = "one of global, restart";
  key.read_last = true;
  key.set = [](RunConfig& config, const std::string& text) {
    check_choice("lr_mode", text, {"global", "restart"});
    if (text == "global") return;
    if (config.cycle_end(1) * config.cycles != config.periods())
      throw_input_error(
          "lr_mode = restart: {} {}s cannot be divided into {} equal cycles. Choose other numbers, or lr_mode = global",
          config.periods(), config.period_name(), config.cycles);
    config.schedule.restart_every = config.cycle_end(1);
  };
  key.get = [](const RunConfig& config) { return Json(config.schedule.restart_every > 0 ? "restart" : "global"); };
  return key;
}

}  // namespace

std::vector<ConfigKey> optimizer_keys() {
  return {
      choice<Kind>(
          {.name = "optimizer",
           .label = "optimizer",
           .help = "Optimizer",
           .default_value = depends("sgd; adam for split-cifar100 and shifting streams",
                                    [](const RunConfig& config) { return preset_of(config).adam() ? "adam" : "sgd"; })},
          {{"sgd", Kind::sgd}, {"adam", Kind::adam}}, [](auto& config) -> auto& { return config.optimizer.kind; }),
      number(
          {.name = "lr",
           .label = "learning rate",
           .help = "Learning rate at the start",
           .default_value = depends("0.001 (adam), 0.01 (sgd), 0.1 (sgd, streams of photographs); 0.0001 for "
                                    "split-cifar100 with rsl and adam",
                                    default_rate),
           .placeholder = "RATE"},
          0.0, any_number, [](auto& config) -> auto& { return config.schedule.rate; }),
      number(
          {.name = "momentum",
           .label = "momentum",
           .help = "Momentum of SGD",
           .default_value = always("0"),
           .condition = {"with optimizer = sgd",
                         [](const RunConfig& config) { return config.optimizer.kind == Kind::sgd; }}},
          0.0, 1.0, [](auto& config) -> auto& { return config.optimizer.momentum; }),
      number(
          {.name = "weight_decay",
           .label = "weight decay",
           .help = "Weight decay: this multiple of the weights is added to the gradient",
           .default_value = always("0")},
          0.0, any_number, [](auto& config) -> auto& { return config.optimizer.weight_decay; }),
      choice<Schedule::Kind>(
          {.name = "lr_schedule",
           .label = "learning rate schedule",
           .help = "How the learning rate changes over the epochs",
           .default_value =
               depends("cosine; constant for split-cifar100 and shifting streams",
                       [](const RunConfig& config) { return preset_of(config).adam() ? "constant" : "cosine"; })},
          {{"cosine", Schedule::Kind::cosine}, {"constant", Schedule::Kind::constant}},
          [](auto& config) -> auto& { return config.schedule.kind; }),
      count(
          {.name = "t_max",
           .label = "cosine length",
           .unit = "epochs, or tasks of a shifting stream",
           .help = "Epoch at which the cosine reaches zero",
           .default_value = always("200"),
           .condition = with_cosine(),
           .placeholder = "EPOCHS"},
          1'000'000, [](auto& config) -> auto& { return config.schedule.t_max; }),
      lr_mode_key(),
  };
}

}  // namespace cambium
