#include "layers/softmax_cross_entropy.hpp"

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit unit("layers/softmax_cross_entropy.sycl");

// Same layout as in softmax_cross_entropy.sycl.
struct Arguments {
  View<const float> logits, bias, weights;
  View<const std::int32_t> labels;
  View<float> gradient, loss;
  View<std::uint8_t> correct;
  std::uint32_t replicas, rows, classes;
  float scale;
};

}  // namespace

void softmax_cross_entropy(Device& device, const ClassificationShape& shape, float scale, View<const float> logits,
                           View<const float> bias, View<const std::int32_t> labels, View<float> gradient,
                           View<float> loss, View<std::uint8_t> correct, View<const float> weights) {
  const std::size_t rows = std::size_t{shape.replicas} * shape.rows;
  expect(logits.size() == rows * shape.classes && gradient.size() == logits.size() &&
             (labels.size() == rows || labels.size() == shape.rows) && loss.size() == rows && correct.size() == rows,
         "softmax_cross_entropy: {} logits, {} gradients, {} labels, {} losses, {} flags for {} x ({}, {})",
         logits.size(), gradient.size(), labels.size(), loss.size(), correct.size(), shape.replicas, shape.rows,
         shape.classes);
  expect(bias.empty() || bias.size() == std::size_t{shape.replicas} * shape.classes,
         "softmax_cross_entropy: bias of {} entries for {} x {} classes", bias.size(), shape.replicas, shape.classes);
  expect(weights.empty() || weights.size() == shape.replicas, "softmax_cross_entropy: {} weights for {} replicas",
         weights.size(), shape.replicas);
  device.launch(unit, "softmax_cross_entropy", rows,
                Arguments{logits, bias, weights, labels, gradient, loss, correct, shape.replicas, shape.rows,
                          shape.classes, scale});
}

}  // namespace cambium
