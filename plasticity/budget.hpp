// Compactness budgets: the number of units in each hidden layer for a fraction of the weights.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layers/architecture.hpp"

namespace cambium {

// Factors on each hidden layer's share of the budget. `neutral` is for any network, the others are for three layers.
std::vector<double> bias_schedule(const std::string& name, std::size_t hidden_layers);
std::vector<std::string> bias_schedule_names();

// Units per hidden layer if a fraction `compactness` of their weights is kept. Layers share the budget in proportion to
// weight count times bias; the excess of a full layer goes to the others. Each layer keeps at least one unit.
std::vector<std::int32_t> unit_targets(const Architecture& architecture, double compactness,
                                       std::span<const double> bias);

}  // namespace cambium
