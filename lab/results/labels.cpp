#include "lab/results/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "lab/config/config.hpp"

namespace cambium {
namespace {

std::vector<Shown> make_measures() {
  const std::vector<Shown> own{{"average", "average accuracy"},
                               {"accuracy", "accuracy"},
                               {"taa", "TAA"},
                               {"taa_epochs", "TAA over all epochs"},
                               {"taa_cycles", "TAA over the ends of cycles"},
                               {"taa_tasks", "TAA over the ends of tasks"},
                               {"pooled_accuracy", "accuracy, tasks pooled"},
                               {"taoa", "online accuracy"},
                               {"early_tasks", "accuracy over the first tasks"},
                               {"early_window_01", "accuracy over the first 1 % of each task"},
                               {"early_window_05", "accuracy over the first 5 % of each task"},
                               {"early_window_10", "accuracy over the first 10 % of each task"},
                               {"forgetting", "forgetting"}};
  std::vector<Shown> all;
  for (const auto& [name, words, factor, unit] : own) all.push_back({name, words, 100, "%"});
  for (const auto& [name, words, factor, unit] : own) all.push_back({"ticket." + name, "ticket " + words, 100, "%"});
  for (const auto& [name, words, factor, unit] : own)
    all.push_back({"gain." + name, words + ", ticket − cycles", 100, "points"});
  all.push_back({"gain.taa_study", "TAA, ticket − cycles", 100, "points"});
  for (const std::string signal : {"activation", "gradient"}) {
    all.push_back({"parity.early_" + signal + "_log_parity_5", "early " + signal + " log parity (5 epochs)"});
    all.push_back({"parity.early_" + signal + "_log_parity_10", "early " + signal + " log parity (10 epochs)"});
    all.push_back({"parity.event_" + signal + "_log_parity", signal + " log parity at the edits"});
    all.push_back({"parity.dead_" + signal, "cohorts without " + signal});
  }
  all.push_back({"parity.segment_activation_log_parity", "activation log parity over all ages"});
  all.push_back({"parity.survivor_stability", "survivors' activation, after − end"});
  all.push_back({"parity.survivor_stability_log", "survivors' activation, ln(after / end)"});
  all.push_back({"parity.mask_stability", "survivors' activation, masked − before"});
  all.push_back({"parity.mask_stability_log", "survivors' activation, ln(masked / before)"});
  return all;
}

std::vector<Shown> make_quantities() {
  std::vector<Shown> all;
  for (const std::string signal : {"activation", "gradient"}) {
    all.push_back({signal + "_log_parity", "log " + signal + " parity"});
    all.push_back({signal + "_ratio", signal + " ratio"});
    all.push_back({"early_" + signal + "_log_parity_5", "log " + signal + " parity, epochs 1–5"});
    all.push_back({"early_" + signal + "_log_parity_10", "log " + signal + " parity, epochs 1–10"});
    all.push_back({"segment_" + signal + "_log_parity", "log " + signal + " parity, all epochs"});
    for (const std::string cohort : {"newborn", "kept", "pruned"})
      all.push_back({cohort + "_" + signal, signal + " of " + cohort + " units"});
  }
  all.push_back({"survivor_stability", "survivors' activation, after − end"});
  all.push_back({"survivor_stability_log", "survivors' activation, ln(after / end)"});
  all.push_back({"mask_stability", "survivors' activation, masked − before"});
  all.push_back({"mask_stability_log", "survivors' activation, ln(masked / before)"});
  all.push_back({"function_shock", "distance of the logits"});
  all.push_back({"loss_change", "change of the loss"});
  return all;
}

const std::map<std::string, std::string>& known_words() {
  static const std::map<std::string, std::string> words{{"dense", "DENSE"},
                                                        {"grow", "GROW"},
                                                        {"prune", "PRUNE"},
                                                        {"two_speed", "Two-Speed"},
                                                        {"moment_transplant", "Moment Transplant"},
                                                        {"net2wider", "Net2Wider"},
                                                        {"gradmax", "GradMax"},
                                                        {"rsl", "RSL"},
                                                        {"relu", "ReLU"},
                                                        {"smooth_leaky", "Smooth-Leaky"},
                                                        {"sgd", "SGD"},
                                                        {"adam", "Adam"},
                                                        {"mnist", "MNIST"},
                                                        {"fashion-mnist", "Fashion-MNIST"},
                                                        {"cifar-10", "CIFAR-10"},
                                                        {"cifar-100", "CIFAR-100"},
                                                        {"split-mnist", "Split-MNIST"},
                                                        {"split-fashion", "Split-Fashion"},
                                                        {"split-cifar100", "Split-CIFAR100"},
                                                        {"permuted-mnist", "Permuted MNIST"},
                                                        {"random-label-mnist", "Random Label MNIST"},
                                                        {"random-label-cifar", "Random Label CIFAR"},
                                                        {"5+1-cifar", "5+1 CIFAR"},
                                                        {"continual-imagenet", "Continual ImageNet"}};
  return words;
}

std::string one_word(const std::string& text) {
  const auto found = known_words().find(text);
  return found == known_words().end() ? text : found->second;
}

// After Okabe and Ito, and Tol; of middle lightness, so as to stand out from white and from black.
const std::map<std::string, std::string>& known_colours() {
  static const std::map<std::string, std::string> colours{{"dense", "#8a8f98"},
                                                          {"dense+random", "#b0884a"},
                                                          {"grow", "#1f7fc4"},
                                                          {"prune", "#d55e00"},
                                                          {"grow+two_speed", "#d99a00"},
                                                          {"grow+moment_transplant", "#cc79a7"},
                                                          {"grow+net2wider", "#49a9dd"},
                                                          {"grow+gradmax", "#009e73"},
                                                          {"grow+rsl", "#8264d6"},
                                                          {"dense+rsl", "#5f6b7a"},
                                                          {"prune+rsl", "#a8442a"},
                                                          {"relu", "#1f7fc4"},
                                                          {"rsl", "#8264d6"},
                                                          {"activation", "#1f7fc4"},
                                                          {"gradient", "#e07b00"}};
  return colours;
}

constexpr std::array categorical{"#1f7fc4", "#d55e00", "#009e73", "#cc79a7",
                                 "#d99a00", "#8264d6", "#49a9dd", "#8a8f98"};
// Dark to light would vanish on one ground or the other: hues in the order of the rainbow's safe part.
constexpr std::array scale{"#7a4fc0", "#3b76d1", "#159aa8", "#3aa655", "#c9a000", "#e0702a"};

}  // namespace

const std::vector<Shown>& measures_shown() {
  static const auto all = make_measures();
  return all;
}

const std::vector<Shown>& quantities_shown() {
  static const auto all = make_quantities();
  return all;
}

const std::vector<Shown>& epoch_columns_shown() {
  static const std::vector<Shown> all{{"test_accuracy", "test accuracy", 100, "%"},
                                      {"train_accuracy", "training accuracy", 100, "%"},
                                      {"test_loss", "test loss"},
                                      {"train_loss", "training loss"}};
  return all;
}

const Shown* find_shown(const std::vector<Shown>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Shown& shown) { return shown.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string words_for_measure(const std::string& name) {
  const auto* shown = find_shown(measures_shown(), name);
  return shown == nullptr ? name : shown->words;
}

std::string words_for_key(const std::string& key) {
  static const std::map<std::string, std::string> words{{"lr", "learning rate"},
                                                        {"grow_score", "growth rule"},
                                                        {"bias_schedule", "budget"},
                                                        {"variant", "method"},
                                                        {"event", "edit"},
                                                        {"age", "epochs since the edit"},
                                                        {"epoch", "epoch"},
                                                        {"quantity", ""},
                                                        {"seed_fraction", "share of units at the start"},
                                                        {"batch", "batch size"}};
  if (const auto found = words.find(key); found != words.end()) return found->second;
  std::string text = key;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string words_for_value(const std::string& key, const std::string& text) {
  if (key == "compactness") {
    double share = 0;
    if (parse_number(text, share)) return fmt::format("{:g} %", std::round(share * 1e6) / 1e4);
  }
  if (key == "variant" || key == "method") {
    std::vector<std::string> parts;
    std::string rest = text;
    for (std::size_t plus = 0; plus != std::string::npos;
         rest = plus == std::string::npos ? "" : rest.substr(plus + 1)) {
      plus = rest.find('+');
      parts.push_back(one_word(rest.substr(0, plus)));
    }
    return fmt::format("{}", fmt::join(parts, " + "));
  }
  return one_word(text);
}

std::string words_for_pair(const std::string& key, const std::string& text) {
  const auto words = words_for_value(key, text);
  double number = 0;
  if (!parse_number(text, number)) return words;
  const bool counted = key == "cycles" || key == "epochs" || key == "tasks";
  return counted ? words + " " + key : words_for_key(key) + " " + words;
}

std::string colour_for(const std::string& key, const std::string& text, std::size_t place, std::size_t count,
                       bool ordered) {
  if (key == "variant" || key == "method" || key == "activation" || key == "grow_score")
    if (const auto found = known_colours().find(text); found != known_colours().end()) return found->second;
  if (key == "quantity") {
    const bool gradient = text.find("gradient") != std::string::npos;
    const bool activation = text.find("activation") != std::string::npos;
    if (gradient != activation) return known_colours().at(gradient ? "gradient" : "activation");
  }
  if (!ordered || count < 2) return categorical[place % categorical.size()];
  const auto at = static_cast<double>(place) / static_cast<double>(count - 1) * (scale.size() - 1);
  return scale[static_cast<std::size_t>(std::lround(at))];
}

std::size_t marker_for(const std::string& key, const std::string& text, std::size_t place) {
  static const std::map<std::string, std::size_t> known{
      {"dense", 3},          {"grow", 0},         {"prune", 2},   {"grow+two_speed", 1}, {"grow+moment_transplant", 4},
      {"grow+net2wider", 5}, {"grow+gradmax", 3}, {"grow+rsl", 1}};
  if (key == "variant" || key == "method")
    if (const auto found = known.find(text); found != known.end()) return found->second;
  return place;
}

}  // namespace cambium
