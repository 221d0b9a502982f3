// The pixel orders and labels of the tasks of R replicas, on the device.
#pragma once

#include <cstdint>
#include <span>

#include "streams/batch_arguments.hpp"
#include "sycl/memory.hpp"

namespace cambium {

class Device;
struct Task;

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
