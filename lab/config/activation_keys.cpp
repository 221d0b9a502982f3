// Keys of the activation function and of the initial weights.

#include "lab/config/key_types.hpp"
#include "lab/config/study_presets.hpp"

namespace cambium {
namespace {

using Kind = Activation::Kind;

KeyCondition with_rsl() {
  return {"with activation = rsl", [](const RunConfig& config) { return config.activation.kind == Kind::rsl; }};
}
KeyCondition with_smooth_kinds() {
  return {"with activation = smooth_leaky or rsl",
          [](const RunConfig& config) { return config.activation.kind != Kind::relu; }};
}

KeyDefault slope(double StudyPreset::Slopes::*member) {
  return depends("the study's for the stream",
                 [member](const RunConfig& config) { return study_preset(config.curriculum.stream).slopes.*member; });
}

void check_slopes(const RunConfig& config) {
  if (config.activation.lower > config.activation.upper)
    throw_input_error("rsl_lower = {}: the value must not be above rsl_upper = {}", config.activation.lower,
                      config.activation.upper);
}

}  // namespace

std::vector<ConfigKey> activation_keys() {
  return {
      choice<Kind>(
          {.name = "activation",
           .label = "activation",
           .help = "Activation function (rsl: smooth_leaky with random slopes)",
           .default_value = always("relu")},
          {{"relu", Kind::relu}, {"smooth_leaky", Kind::smooth_leaky}, {"rsl", Kind::rsl}},
          [](auto& config) -> auto& { return config.activation.kind; }),
      number(
          {.name = "rsl_c",
           .label = "RSL c",
           .help = "Shape c of smooth_leaky and rsl",
           .default_value = slope(&StudyPreset::Slopes::c),
           .condition = with_smooth_kinds()},
          1e-6, 1e6, [](auto& config) -> auto& { return config.activation.c; }),
      number(
          {.name = "rsl_p",
           .label = "RSL p",
           .help = "Shape p of smooth_leaky and rsl",
           .default_value = slope(&StudyPreset::Slopes::p),
           .condition = with_smooth_kinds()},
          1e-6, 1e6, [](auto& config) -> auto& { return config.activation.p; }),
      number(
          {.name = "rsl_lower",
           .label = "RSL lower slope",
           .help = "Smallest random slope of rsl",
           .default_value = slope(&StudyPreset::Slopes::lower),
           .condition = with_rsl(),
           .check = check_slopes},
          -1e6, 1e6, [](auto& config) -> auto& { return config.activation.lower; }),
      number(
          {.name = "rsl_upper",
           .label = "RSL upper slope",
           .help = "Largest random slope of rsl",
           .default_value = slope(&StudyPreset::Slopes::upper),
           .condition = with_rsl()},
          -1e6, 1e6, [](auto& config) -> auto& { return config.activation.upper; }),
      number(
          {.name = "leaky_alpha",
           .label = "leaky alpha",
           .help = "Slope of smooth_leaky",
           .default_value = always("0.1"),
           .condition = {"with activation = smooth_leaky",
                         [](const RunConfig& config) { return config.activation.kind == Kind::smooth_leaky; }}},
          -1e6, 1e6, [](auto& config) -> auto& { return config.activation.alpha; }),
      choice<Initialisation>(
          {.name = "init",
           .label = "initialization",
           .help = "Distribution of the initial weights",
           .default_value = always("kaiming_relu")},
          {{"kaiming_relu", Initialisation::kaiming_relu}, {"kaiming_stock", Initialisation::kaiming_stock}},
          [](auto& config) -> auto& { return config.init; }),
  };
}

}  // namespace cambium
