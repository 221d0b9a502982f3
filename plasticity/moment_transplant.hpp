// Moment Transplant: newborn units start with the optimiser's moments of an incumbent instead of zeros.
//
// The donor is the incumbent of the same layer whose incoming weights have the largest cosine with the newborn's; ties:
// the lower unit. Moments of the incoming weights, the bias and the outgoing weights are copied, layer by layer
// from the input to the output. Parameters and step counts stay as they are.
#pragma once

#include "plasticity/full_form.hpp"

namespace cambium {

class Device;

Donors transplant_moments(Device& device, const FullForm& networks, const Births& births);

}  // namespace cambium
