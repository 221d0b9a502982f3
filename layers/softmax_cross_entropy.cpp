#include "layers/softmax_cross_entropy.hpp"

#include "layers/kernel_units.hpp"
#include "layers/softmax_cross_entropy_arguments.hpp"
#include "sycl/device.hpp"

namespace cambium {

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
  const SoftmaxCrossEntropyArguments arguments{logits,         bias,       labels,        gradient, loss,   correct,
                                               shape.replicas, shape.rows, shape.classes, scale,    weights};
  if (device.portable_kernels() == PortableKernels::cpu)
    device.launch(Kernel(softmax_cross_entropy_unit, kernels::softmax_cross_entropy), rows, arguments);
  else
    device.launch_groups(Kernel(softmax_cross_entropy_unit, kernels::softmax_cross_entropy_in_lanes),
                         {1, 1, (rows + softmax_rows - 1) / softmax_rows}, {1, softmax_rows, softmax_lanes}, arguments);
}

}  // namespace cambium
