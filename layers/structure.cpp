#include "layers/structure.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/shuffle.hpp"

namespace cambium {

Structure::Structure(const Architecture& architecture, std::int32_t replicas)
    : replicas_(replicas), full_widths_(architecture.hidden) {
  for (const auto width : full_widths_)
    masks_.emplace_back(static_cast<std::size_t>(replicas) * static_cast<std::size_t>(width), std::uint8_t{1});
}

std::span<const std::uint8_t> Structure::mask(std::size_t layer, std::int32_t replica) const {
  const auto width = static_cast<std::size_t>(full_widths_[layer]);
  return std::span(masks_[layer]).subspan(static_cast<std::size_t>(replica) * width, width);
}

void Structure::set_mask(std::size_t layer, std::int32_t replica, std::span<const std::uint8_t> mask) {
  const auto width = static_cast<std::size_t>(full_widths_[layer]);
  expect(mask.size() == width, "a mask of {} units for a layer of {}", mask.size(), width);
  std::transform(mask.begin(), mask.end(), masks_[layer].begin() + static_cast<std::ptrdiff_t>(replica * width),
                 [](std::uint8_t active) { return std::uint8_t{active != 0}; });
}

std::int32_t Structure::active(std::size_t layer, std::int32_t replica) const {
  const auto units = mask(layer, replica);
  return static_cast<std::int32_t>(std::count(units.begin(), units.end(), 1));
}

bool Structure::everything_active() const {
  for (const auto& masks : masks_)
    if (std::find(masks.begin(), masks.end(), 0) != masks.end()) return false;
  return true;
}

std::int32_t Structure::live_width(std::size_t layer) const {
  std::int32_t width = 0;
  for (std::int32_t replica = 0; replica < replicas_; ++replica) width = std::max(width, active(layer, replica));
  return width;
}

std::vector<std::int32_t> Structure::live_units(std::size_t layer) const {
  const auto width = static_cast<std::size_t>(live_width(layer));
  std::vector<std::int32_t> units(static_cast<std::size_t>(replicas_) * width, -1);
  for (std::int32_t replica = 0; replica < replicas_; ++replica) {
    auto next = units.begin() + static_cast<std::ptrdiff_t>(replica * width);
    const auto layer_mask = mask(layer, replica);
    for (std::size_t unit = 0; unit < layer_mask.size(); ++unit)
      if (layer_mask[unit] != 0) *next++ = static_cast<std::int32_t>(unit);
  }
  return units;
}

Structure random_structure(const Architecture& architecture, std::span<const std::uint32_t> seeds,
                           std::span<const std::int32_t> active) {
  Structure structure(architecture, static_cast<std::int32_t>(seeds.size()));
  for (std::size_t layer = 0; layer < structure.layers(); ++layer)
    for (std::size_t replica = 0; replica < seeds.size(); ++replica) {
      const auto width = static_cast<std::uint32_t>(structure.full_width(layer));
      const auto order = shuffled(width, {{seeds[replica], philox::random_masks}}, static_cast<std::uint32_t>(layer));
      std::vector<std::uint8_t> mask(width, 0);
      for (std::int32_t i = 0; i < active[layer]; ++i) mask[static_cast<std::size_t>(order[i])] = 1;
      structure.set_mask(layer, static_cast<std::int32_t>(replica), mask);
    }
  return structure;
}

}  // namespace cambium
