// Net2Wider: newborn units start as copies of incumbents, without changing the function of the network.
//
// A newborn gets the incoming weights and the bias of a random incumbent of its layer; the incumbent's outgoing weights
// are divided equally between it and its copies. Layers are widened from the input to the output, so the incoming
// weights of a copy include those from units copied in the layer before. Moments are unchanged.
#pragma once

#include "plasticity/full_form.hpp"

namespace cambium {

class Device;

// Draws donors from each seed's stream, with replacement: for the i-th newborn of a layer in ascending order, the
// incumbent number below(word(key, i, layer, event), incumbents) in ascending order.
Donors widen(Device& device, const FullForm& networks, const Births& births);

// Symmetry breaking afterwards: adds epsilon * deviation * n to the incoming weights (not the bias) of every unit that
// has a donor; `deviation` is that of the donor's incoming weights, n a standard normal number drawn for the weight.
void add_insertion_noise(Device& device, const FullForm& networks, const Births& births, const Donors& donors,
                         float epsilon);

// The number n of the weight from input `input`, counted as in PyTorch's layout, to `unit`.
float insertion_noise(std::uint32_t seed, std::uint32_t event, std::uint32_t hidden_layer, std::uint32_t unit,
                      std::uint32_t input);

}  // namespace cambium
