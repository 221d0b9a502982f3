#include "lab/results/labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <sstream>

#include "base/text.hpp"
#include "lab/config/key.hpp"

namespace cambium {
namespace {

const std::map<std::string, std::string>& known_labels() {
  static const std::map<std::string, std::string> labels{{"dense", "DENSE"},
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
  return labels;
}

// The label of one name; the name itself if it has none.
std::string name_label(const std::string& name) {
  const auto found = known_labels().find(name);
  return found == known_labels().end() ? name : found->second;
}

}  // namespace

std::string key_label(const std::string& key) {
  static const std::map<std::string, std::string> axes{
      {"variant", "method"}, {"event", "edit"}, {"age", "epochs since the edit"}, {"epoch", "epoch"}, {"quantity", ""}};
  if (const auto found = axes.find(key); found != axes.end()) return found->second;
  const auto* known = find_key(key);
  return known == nullptr ? key : known->label;
}

std::string value_label(const std::string& key, const std::string& text) {
  if (key == "compactness") {
    double fraction = 0;
    if (parse_number(text, fraction)) return fmt::format("{:g} %", std::round(fraction * 1e6) / 1e4);
  }
  if (key != "variant" && key != "method") return name_label(text);
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, '+');) parts.push_back(name_label(part));
  return fmt::format("{}", fmt::join(parts, " + "));
}

std::string key_value_label(const std::string& key, const std::string& text) {
  const auto value = value_label(key, text);
  double number = 0;
  if (!parse_number(text, number)) return value;
  const bool counted = key == "cycles" || key == "epochs" || key == "tasks";
  return counted ? value + " " + key : key_label(key) + " " + value;
}

}  // namespace cambium
