// oneDNN's convolutions called without Cambium: the primitive alone, on its own queue, with the weights already in its
// preferred order. The reference for the onednn backend.
#pragma once

#include <memory>

#include "bench/measure.hpp"
#include "bench/products.hpp"

namespace cambium::bench {

// Runs the pass for every replica of the shape and waits after each, as the backend must. An empty function if Cambium
// was built without oneDNN.
Candidate direct_convolution(Device& device, const ConvolutionShape& shape, ConvolutionPass pass);

}  // namespace cambium::bench
