// Arguments of softmax_cross_entropy.sycl, which describes their shapes.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

struct SoftmaxCrossEntropyArguments {
  View<const float> logits, bias;
  View<const std::int32_t> labels;
  View<float> gradient, loss;
  View<std::uint8_t> correct;
  std::uint32_t replicas, rows, classes;
  float scale;
  View<const float> weights;
};
ASSERT_LAYOUT(SoftmaxCrossEntropyArguments, logits, bias, labels, gradient, loss, correct, replicas, rows, classes,
              scale, weights);

// Lanes per row and rows of a work-group of softmax_cross_entropy_in_lanes.
inline constexpr std::uint32_t softmax_lanes = 32, softmax_rows = 8;

}  // namespace cambium

DECLARE_KERNEL(softmax_cross_entropy, SoftmaxCrossEntropyArguments)
DECLARE_KERNEL(softmax_cross_entropy_in_lanes, SoftmaxCrossEntropyArguments)
