// Compaction: training uses a live copy of the parameters that has the active rows and columns only.
//
// A set of values for all parameters (the parameters themselves, an optimizer's moments) has two forms: full, with
// every unit, and live, with the active units. Between edits only the live form changes, and the full form keeps the
// values of inactive units. At an edit: scatter live into full, edit, restructure, gather again. If replicas have
// different numbers of active units, the live width is the largest, and the rest is padding that stays exactly zero.
#pragma once

#include "layers/parameters.hpp"

namespace cambium {

class Device;

// One set of values in both forms.
struct PairedValues {
  Buffer<float> full, live;
};

class Compaction {
 public:
  Compaction(Device& device, const Architecture& architecture, Structure structure);

  const Structure& structure() const { return structure_; }
  const ParameterLayout& full() const { return full_; }
  const ParameterLayout& live() const { return live_; }
  // (R, live width): the full-width numbers of a hidden layer's live units, -1 for padding.
  View<const std::int32_t> units(std::size_t hidden_layer) const { return units_[hidden_layer]; }

  PairedValues make_values() const;  // all zero

  // Copies all values, in the full layout, from and to the host.
  std::vector<float> download(PairedValues& values) const;
  void upload(std::span<const float> values, PairedValues& into) const;

  // Around an edit: scatter, restructure, gather. In between only the full form is valid.
  void scatter(PairedValues& values) const;  // full := live where units are active; the rest of full stays
  void restructure(Structure structure);
  void gather(PairedValues& values) const;  // live := full where units are active; padding := 0

 private:
  void copy(View<float> full, View<float> live, bool into_live) const;
  void clear_gaps(View<float> live) const;

  Device& device_;
  Structure structure_;
  ParameterLayout full_, live_;
  std::vector<Buffer<std::int32_t>> units_;
};

}  // namespace cambium
