// Selection rules: how GROW scores inactive units. Each has a file of its own (*_rule.cpp) and a line in selection.cpp;
// docs/plasticity.md tells how to add one.
#pragma once

#include <string>
#include <vector>

#include "layers/network.hpp"

namespace cambium {

// What a rule sees: full-width networks after one pass over the scoring batch with the masks of before the event.
struct ScoringContext {
  Device& device;
  const Network& network;
  const Activation& activation;
  View<const float> parameters;
  std::span<const std::uint32_t> seeds;
  std::uint32_t event = 0, rows = 0;
  float tau = 0;  // above it, an output counts as active

  std::uint32_t replicas() const { return static_cast<std::uint32_t>(seeds.size()); }
};

struct SelectionRule {
  std::string name, help;
  bool needs_gradients = false;
  // scores (R, full width) of a hidden layer's units, overwritten; the highest are recruited first.
  void (*score)(const ScoringContext& scene, std::size_t hidden_layer, View<float> scores) = nullptr;
};

SelectionRule activation_rule();
SelectionRule gradient_rule();
SelectionRule gradmax_rule();
SelectionRule random_rule();
SelectionRule magnitude_rule();

const std::vector<SelectionRule>& selection_rules();
std::vector<std::string> selection_rule_names();
const SelectionRule& selection_rule(const std::string& name);

// Mean absolute incoming weight of every unit, (R, full width): the magnitude rule, and what PRUNE goes by.
void incoming_magnitudes(Device& device, const ParameterLayout& full, View<const float> parameters,
                         std::size_t hidden_layer, View<float> scores);

}  // namespace cambium
