// R networks at an edit: parameters and moments of every unit, active or not, on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "layers/parameters.hpp"

namespace cambium {

struct FullForm {
  const ParameterLayout& layout;
  View<float> parameters;
  std::vector<View<float>> moments;  // laid out like the parameters; none for plain SGD
  std::span<std::uint64_t> steps;    // taken by every layer of every replica, (layers, R)
};

// Units that an event has just activated: newborns are active after it and not before, incumbents already before.
struct Births {
  const Structure& before;
  const Structure& after;
  std::span<const std::uint32_t> seeds;  // one per replica
  std::uint32_t event = 0;
};

// Per hidden layer, (R, full width): the incumbent that a newborn unit took something from, -1 for all other units.
using Donors = std::vector<std::vector<std::int32_t>>;

}  // namespace cambium
