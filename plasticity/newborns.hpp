// The newborn units of an event: which they are, and how they get what incumbents have.
//
// "Values" are laid out as the full parameters are: the parameters themselves, or moments.
#pragma once

#include "plasticity/full_form.hpp"

namespace cambium {

class Device;

// Units of one hidden layer in one replica, in ascending order.
struct BirthCohorts {
  std::vector<std::int32_t> newborns, incumbents;
};
// One for every replica. Throws where newborns have no incumbent beside them.
std::vector<BirthCohorts> birth_cohorts(const Births& births, std::size_t hidden_layer);

Donors no_donors(const Structure& structure);  // -1 for every unit

// Throws unless networks and structures have the same replicas and layers.
void expect_fit(const FullForm& networks, const Births& births);

// One list of units for every replica, on the device: (R, slots), with -1 behind the shorter ones.
struct UnitLists {
  UnitLists(Device& device, const std::vector<std::vector<std::int32_t>>& lists);

  std::uint32_t slots;  // length of the longest
  Buffer<std::int32_t> units;
};

// Newborns of one hidden layer and, at the same places, their donors. Copies of one donor are neighbours.
struct NewbornPairs {
  NewbornPairs(Device& device, std::span<const std::int32_t> donors, std::int32_t replicas);  // donors (R, full width)

  UnitLists newborns, donors;
  std::uint32_t slots() const { return newborns.slots; }
};

// Weights into the donors and their biases, or the weights out of them, become those of the newborns.
void copy_incoming(Device& device, const ParameterLayout& layout, View<float> values, std::size_t hidden_layer,
                   const NewbornPairs& pairs);
void copy_outgoing(Device& device, const ParameterLayout& layout, View<float> values, std::size_t hidden_layer,
                   const NewbornPairs& pairs);

}  // namespace cambium
