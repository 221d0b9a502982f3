// The newborn units of an event, and copies of weights or moments from incumbents to them.
//
// "Values" have the full layout: parameters or moments.
#pragma once

#include "plasticity/full_form.hpp"

namespace cambium {

class Device;

// Units of one hidden layer in one replica, in ascending order.
struct BirthCohorts {
  std::vector<std::int32_t> newborns, incumbents;
};
// One per replica. Throws if a layer has newborns but no incumbents.
std::vector<BirthCohorts> birth_cohorts(const Births& births, std::size_t hidden_layer);

Donors no_donors(const Structure& structure);  // -1 for every unit

// Throws if networks and structures differ in replicas or layers.
void expect_fit(const FullForm& networks, const Births& births);

// One list of units per replica, on the device: (R, slots), padded with -1.
struct UnitLists {
  UnitLists(Device& device, const std::vector<std::vector<std::int32_t>>& lists);

  std::uint32_t slots;  // length of the longest list
  Buffer<std::int32_t> units;
};

// Newborns of one hidden layer and their donors, at the same positions. Copies of one donor are neighbours.
struct NewbornPairs {
  NewbornPairs(Device& device, std::span<const std::int32_t> donors, std::int32_t replicas);  // donors (R, full width)

  UnitLists newborns, donors;
  std::uint32_t slots() const { return newborns.slots; }
};

// Copies the incoming weights and biases, or the outgoing weights, of the donors to the newborns.
void copy_incoming(Device& device, const ParameterLayout& layout, View<float> values, std::size_t hidden_layer,
                   const NewbornPairs& pairs);
void copy_outgoing(Device& device, const ParameterLayout& layout, View<float> values, std::size_t hidden_layer,
                   const NewbornPairs& pairs);

}  // namespace cambium
