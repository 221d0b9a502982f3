// R networks during an edit: parameters and moments of all units, active and inactive, on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "layers/parameters.hpp"

namespace cambium {

struct FullForm {
  const ParameterLayout& layout;
  View<float> parameters;
  std::vector<View<float>> moments;  // same layout as the parameters; empty for plain SGD
  std::span<std::uint64_t> steps;    // of the optimiser, (layers, R)
};

// The masks of a growth event. Newborns are active only after it, incumbents before and after it.
struct Births {
  const Structure& before;
  const Structure& after;
  std::span<const std::uint32_t> seeds;  // one per replica
  std::uint32_t event = 0;
};

// Per hidden layer, (R, full width): the incumbent from which a newborn unit was copied; -1 for all other units.
using Donors = std::vector<std::vector<std::int32_t>>;

}  // namespace cambium
