// Softmax cross-entropy: the loss of a classifier, its gradient, and the correctness of each row.
#pragma once

#include <cstdint>

#include "sycl/memory.hpp"

namespace cambium {

class Device;

struct ClassificationShape {
  std::uint32_t replicas, rows, classes;
};

// For every row of logits (R, rows, classes), to which bias (R, classes; empty: none) is added first:
//   loss     (R, rows)           -log softmax at the row's label
//   correct  (R, rows)           1 if the largest logit (the first of equals) is the label's, else 0
//   gradient (R, rows, classes)  scale * weight * (softmax - one-hot); may be the logits themselves
// labels (R, rows), or (rows) if all replicas have the same; a negative label marks a row that does not count: loss,
// gradient and correctness are 0. weights (R) are those of the replicas; empty: 1.
void softmax_cross_entropy(Device& device, const ClassificationShape& shape, float scale, View<const float> logits,
                           View<const float> bias, View<const std::int32_t> labels, View<float> gradient,
                           View<float> loss, View<std::uint8_t> correct, View<const float> weights = {});

}  // namespace cambium
