// Arguments of batch.sycl, which describes their shapes.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

// How the tasks of R replicas show the images of a data set. By default, images and labels stay as they are.
struct TaskView {
  View<const std::int32_t> pixels;        // (R, height * width): position i shows the pixel of position pixels[i]
  View<const std::int32_t> class_labels;  // (R, classes of the data set): label of each class, -1: does not count
  std::uint32_t random_classes = 0;       // > 0: labels are random_label()s of so many classes instead
  std::uint32_t task = 0;                 // number of the task from 0, for random labels
};
ASSERT_LAYOUT(TaskView, pixels, class_labels, random_classes, task);

struct BatchArguments {
  View<const std::uint8_t> pixels;
  View<const std::uint16_t> labels;
  View<const std::int32_t> indices;
  View<const std::uint32_t> seeds;
  View<float> images;
  View<std::int32_t> batch_labels;
  std::uint32_t replicas, rows, height, width, step_low, step_high;
  float scale[4], shift[4];
  TaskView task;
};
ASSERT_LAYOUT(BatchArguments, pixels, labels, indices, seeds, images, batch_labels, replicas, rows, height, width,
              step_low, step_high, scale, shift, task);

}  // namespace cambium

DECLARE_KERNEL(gather_batch, BatchArguments)
