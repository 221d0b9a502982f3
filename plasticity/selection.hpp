// Selection rules: how GROW scores inactive units. Each rule has its own file (*_rule.cpp) and a line in selection.cpp;
// docs/plasticity.md explains how to add one.
#pragma once

#include <string>
#include <vector>

#include "layers/network.hpp"

namespace cambium {

// The input of a rule: full-width networks after one pass over the scoring batch, with the masks before the event.
struct ScoringContext {
  Device& device;
  const Network& network;
  const ForwardPass& pass;
  const Activation& activation;
  View<const float> parameters;
  std::span<const std::uint32_t> seeds;
  std::uint32_t event = 0;
  float tau = 0;  // a unit is active on an image if its output is above tau

  std::uint32_t rows() const { return pass.rows; }
  std::uint32_t replicas() const { return static_cast<std::uint32_t>(seeds.size()); }
};

struct SelectionRule {
  std::string name, help;
  bool needs_gradients = false;
  // Writes the scores (R, full width) of a hidden layer's units; the units with the highest scores are recruited first.
  void (*score)(const ScoringContext& context, std::size_t hidden_layer, View<float> scores) = nullptr;
};

const std::vector<SelectionRule>& selection_rules();
std::vector<std::string> selection_rule_names();
const SelectionRule& selection_rule(const std::string& name);

// Mean absolute incoming weight of every unit, (R, full width): the scores of the magnitude rule and of PRUNE.
void incoming_magnitudes(Device& device, const ParameterLayout& full, View<const float> parameters,
                         std::size_t hidden_layer, View<float> scores);

}  // namespace cambium
