// oneDNN's convolutions without Cambium around them: the primitive alone, on a queue of its own, with its weights
// already in the order it likes best. What the onednn backend is measured against.
#pragma once

#include <memory>

#include "bench/measure.hpp"
#include "bench/products.hpp"

namespace cambium::bench {

// Runs the pass for every replica of the shape, waiting after each as the backend must. An empty function where Cambium
// was built without oneDNN.
Candidate direct_convolution(Device& device, const ConvolutionShape& shape, ConvolutionPass pass);

}  // namespace cambium::bench
