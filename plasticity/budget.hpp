// Compactness budgets: how many units of every hidden layer a share of the weights pays for.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layers/architecture.hpp"

namespace cambium {

// Factors on each hidden layer's share of the budget. `neutral` suits any network; the others are for three layers.
std::vector<double> bias_schedule(const std::string& name, std::size_t hidden_layers);
std::vector<std::string> bias_schedule_names();

// Units per hidden layer when a share `compactness` of their weights is kept. Layers share the budget by weight count
// times bias; what a layer cannot use goes to the others. At least one unit stays in every layer.
std::vector<std::int32_t> unit_targets(const Architecture& architecture, double compactness,
                                       std::span<const double> bias);

}  // namespace cambium
