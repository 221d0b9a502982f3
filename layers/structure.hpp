// The active units of the hidden layers, for every replica. Host data; an edit makes a new Structure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layers/architecture.hpp"

namespace cambium {

class Structure {
 public:
  // All units active.
  Structure(const Architecture& architecture, std::int32_t replicas);

  bool operator==(const Structure&) const = default;

  std::int32_t replicas() const { return replicas_; }
  std::size_t layers() const { return full_widths_.size(); }
  std::int32_t full_width(std::size_t layer) const { return full_widths_[layer]; }

  // One byte per unit, 1 or 0.
  std::span<const std::uint8_t> mask(std::size_t layer, std::int32_t replica) const;
  void set_mask(std::size_t layer, std::int32_t replica, std::span<const std::uint8_t> mask);
  const std::vector<std::uint8_t>& masks(std::size_t layer) const { return masks_[layer]; }  // (R, full width)

  std::int32_t active(std::size_t layer, std::int32_t replica) const;
  bool everything_active() const;

  // The width of a live copy of the layer: the largest number of active units of any replica.
  std::int32_t live_width(std::size_t layer) const;
  // (R, live width): the full-width number of every live unit in ascending order, then -1.
  std::vector<std::int32_t> live_units(std::size_t layer) const;

 private:
  std::int32_t replicas_;
  std::vector<std::int32_t> full_widths_;
  std::vector<std::vector<std::uint8_t>> masks_;
};

// `active[l]` units of every hidden layer, drawn without replacement from each seed's stream of masks.
Structure random_structure(const Architecture& architecture, std::span<const std::uint32_t> seeds,
                           std::span<const std::int32_t> active);

}  // namespace cambium
