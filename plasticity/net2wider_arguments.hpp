// Arguments of net2wider.sycl.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

// newborns, donors (R, slots): -1 for padding; copies of one donor are neighbours.
struct PairArguments {
  View<const std::int32_t> newborns, donors;
  std::uint32_t slots;
};
ASSERT_LAYOUT(PairArguments, newborns, donors, slots);

struct ShareRowsArguments {
  View<float> weights;  // (R, rows, columns) of the layer behind
  PairArguments pairs;
  std::uint32_t rows, columns;
};
ASSERT_LAYOUT(ShareRowsArguments, weights, pairs, rows, columns);

struct DeviationsArguments {
  View<const float> weights;  // (R, inputs, units)
  PairArguments pairs;
  View<float> deviations;  // (R, slots)
  std::uint32_t inputs, units;
};
ASSERT_LAYOUT(DeviationsArguments, weights, pairs, deviations, inputs, units);

struct NoiseArguments {
  View<float> weights;  // (R, inputs, units)
  PairArguments pairs;
  View<const float> deviations;     // (R, slots)
  View<const std::uint32_t> seeds;  // (R)
  std::uint32_t inputs, units;
  std::uint32_t channels;  // of the image that the inputs are; here they come last, in the count of the noise first
  std::uint32_t hidden_layer, event;
  float epsilon;
};
ASSERT_LAYOUT(NoiseArguments, weights, pairs, deviations, seeds, inputs, units, channels, hidden_layer, event, epsilon);

}  // namespace cambium

DECLARE_KERNEL(share_rows, ShareRowsArguments)
DECLARE_KERNEL(deviations, DeviationsArguments)
DECLARE_KERNEL(add_noise, NoiseArguments)
