#include "plasticity/budget.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace cambium {
namespace {

struct Entry {
  const char* name;
  std::vector<double> bias;  // empty: 1 for any number of layers
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{{"neutral", {}},
                                      {"fc1_protect", {1.5, 1.5, 0.6}},
                                      {"fc3_protect", {0.6, 0.6, 1.5}},
                                      {"ends_skewed", {1.2, 0.6, 1.2}}};
  return all;
}

}  // namespace

std::vector<std::string> bias_schedule_names() {
  std::vector<std::string> names;
  for (const auto& entry : entries()) names.push_back(entry.name);
  return names;
}

std::vector<double> bias_schedule(const std::string& name, std::size_t hidden_layers) {
  for (const auto& entry : entries()) {
    if (entry.name != name) continue;
    if (entry.bias.empty()) return std::vector<double>(hidden_layers, 1.0);
    if (entry.bias.size() != hidden_layers)
      throw_input_error("bias_schedule = {}: it is for {} hidden layers, but the network has {}", name,
                        entry.bias.size(), hidden_layers);
    return entry.bias;
  }
  throw_input_error("bias_schedule = {}: unknown name; use one of {}", name, fmt::join(bias_schedule_names(), ", "));
}

std::vector<std::int32_t> unit_targets(const Architecture& architecture, double compactness,
                                       std::span<const double> bias) {
  std::vector<LayerShape> hidden = architecture.layers();
  hidden.erase(hidden.begin(), hidden.begin() + static_cast<std::ptrdiff_t>(architecture.trunk.size()));
  hidden.pop_back();  // the logits
  expect(bias.size() == hidden.size(), "{} biases for {} hidden layers", bias.size(), hidden.size());

  double budget = 0;
  for (const auto& layer : hidden) budget += compactness * static_cast<double>(layer.weights());
  std::vector<double> share(hidden.size(), 0.0);
  std::vector<bool> clipped(hidden.size(), false);
  for (bool again = true; again;) {
    again = false;
    double total = 0;
    for (std::size_t l = 0; l < hidden.size(); ++l)
      if (!clipped[l]) total += bias[l] * static_cast<double>(hidden[l].weights());
    for (std::size_t l = 0; l < hidden.size(); ++l)
      if (!clipped[l]) share[l] = budget * bias[l] * static_cast<double>(hidden[l].weights()) / total;
    for (std::size_t l = 0; l < hidden.size(); ++l) {
      const auto weights = static_cast<double>(hidden[l].weights());
      if (clipped[l] || share[l] <= weights) continue;
      share[l] = weights;
      budget -= weights;
      clipped[l] = again = true;
    }
  }
  // Round half up. 1e-9 makes up for rounding errors in the arithmetic above.
  std::vector<std::int32_t> units;
  for (std::size_t l = 0; l < hidden.size(); ++l)
    units.push_back(std::clamp(static_cast<std::int32_t>(std::floor(share[l] / hidden[l].inputs + 0.5 + 1e-9)), 1,
                               hidden[l].units));
  return units;
}

}  // namespace cambium
