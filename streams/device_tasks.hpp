// The pixel orders and labels of the tasks of R replicas, on the device.
#pragma once

#include <cstdint>
#include <span>

#include "sycl/memory.hpp"

namespace cambium {

class Device;
struct Task;

// The lookup tables of the batch kernel (batch.sycl). Empty tables leave images and labels unchanged.
struct TaskView {
  View<const std::int32_t> pixels;        // (R, height * width): position i shows the pixel of position pixels[i]
  View<const std::int32_t> class_labels;  // (R, classes of the data set): label of each class; -1: ignored
  std::uint32_t random_classes = 0;       // > 0: labels are random_label()s of this number of classes instead
  std::uint32_t task = 0;                 // from 0; for random labels
};

class DeviceTasks {
 public:
  // One task per replica, all with the same number and of the same kind. `output_classes`: outputs of the network.
  DeviceTasks(Device& device, std::span<const Task> tasks, std::int32_t number, std::int32_t output_classes);

  // Valid for the lifetime of this object.
  TaskView view() const { return {pixels_, class_labels_, random_classes_, number_}; }
  operator TaskView() const { return view(); }

 private:
  Buffer<std::int32_t> pixels_, class_labels_;
  std::uint32_t random_classes_ = 0, number_ = 0;
};

}  // namespace cambium
