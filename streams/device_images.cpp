#include "streams/device_images.hpp"

#include <algorithm>

#include "streams/batch_arguments.hpp"
#include "streams/kernel_units.hpp"
#include "sycl/device.hpp"

namespace cambium {
Normalisation Normalisation::unit(std::int32_t channels) {
  const auto count = static_cast<std::size_t>(channels);
  return {std::vector<float>(count, 1.0f / 255.0f), std::vector<float>(count, 0.0f)};
}

Normalisation Normalisation::standardised(const std::vector<float>& mean, const std::vector<float>& deviation) {
  Normalisation result;
  for (std::size_t c = 0; c < mean.size(); ++c) {
    result.scale.push_back(static_cast<float>(1.0 / (255.0 * double{deviation[c]})));
    result.shift.push_back(static_cast<float>(-double{mean[c]} / double{deviation[c]}));
  }
  return result;
}

DeviceImages::DeviceImages(Device& device, const Images& images, const Normalisation& normalisation)
    : count_(static_cast<std::uint32_t>(images.count)),
      shape_{images.height, images.width, images.channels},
      pixels_(device, images.pixels),
      labels_(device, images.labels),
      normalisation_(normalisation) {
  expect(shape_.channels == 1 || shape_.channels == 3, "images of {} channels", shape_.channels);
  expect(images.pixels.size() == std::size_t{count_} * static_cast<std::size_t>(shape_.size()) &&
             images.labels.size() == count_,
         "{} pixels and {} labels for {} images of {}", images.pixels.size(), images.labels.size(), count_,
         shape_.size());
  expect(normalisation.scale.size() == static_cast<std::size_t>(shape_.channels) &&
             normalisation.shift.size() == normalisation.scale.size(),
         "a normalisation of {} channels for {}", normalisation.scale.size(), shape_.channels);
  for (const std::uint16_t label : images.labels) classes_ = std::max(classes_, label + 1u);
}

void DeviceImages::gather(Device& device, const BatchPlan& plan, View<float> images, View<std::int32_t> labels) const {
  const std::size_t rows = std::size_t{plan.replicas} * plan.rows;
  expect(plan.indices.size() == rows && labels.size() == rows &&
             images.size() == rows * static_cast<std::size_t>(shape_.size()),
         "a batch of {} x {} rows: {} indices, {} labels, {} pixels", plan.replicas, plan.rows, plan.indices.size(),
         labels.size(), images.size());
  const TaskView& task = plan.task;
  const auto positions = static_cast<std::size_t>(shape_.height) * static_cast<std::size_t>(shape_.width);
  expect(task.pixels.empty() || task.pixels.size() == plan.replicas * positions,
         "{} places of pixels for {} images of {}", task.pixels.size(), plan.replicas, positions);
  expect(task.class_labels.empty() ||
             (task.class_labels.size() % plan.replicas == 0 && task.class_labels.size() / plan.replicas >= classes_),
         "{} labels for {} x {} classes", task.class_labels.size(), plan.replicas, classes_);
  expect((!plan.augment && task.random_classes == 0) || plan.seeds.size() == plan.replicas, "{} seeds for {} replicas",
         plan.seeds.size(), plan.replicas);
  BatchArguments arguments{.pixels = pixels_,
                           .labels = labels_,
                           .indices = plan.indices,
                           .seeds = plan.seeds,
                           .images = images,
                           .batch_labels = labels,
                           .replicas = plan.replicas,
                           .rows = plan.rows,
                           .height = static_cast<std::uint32_t>(shape_.height),
                           .width = static_cast<std::uint32_t>(shape_.width),
                           .step_low = static_cast<std::uint32_t>(plan.step),
                           .step_high = static_cast<std::uint32_t>(plan.step >> 32),
                           .task = task};
  std::copy(normalisation_.scale.begin(), normalisation_.scale.end(), arguments.scale);
  std::copy(normalisation_.shift.begin(), normalisation_.shift.end(), arguments.shift);
  // Without augmentation an image is one long row: fewer, longer rows for the device.
  if (!plan.augment) {
    arguments.width *= arguments.height;
    arguments.height = 1;
  }
  const KernelUnit& unit = batch_units[shape_.channels == 3][plan.augment][!task.pixels.empty()];
  device.launch(Kernel(unit, kernels::gather_batch),
                {rows, arguments.height, std::size_t{arguments.width} * static_cast<std::size_t>(shape_.channels)},
                arguments);
}

}  // namespace cambium
