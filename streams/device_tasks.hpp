// Tasks on the device: how those of R replicas show the images of a data set.
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
  // One task per replica, all of the same kind and number. `output_classes` are those of the network.
  DeviceTasks(Device& device, std::span<const Task> tasks, std::int32_t number, std::int32_t output_classes);

  // Good for as long as this object is.
  TaskView view() const { return {pixels_, class_labels_, random_classes_, number_}; }
  operator TaskView() const { return view(); }

 private:
  Buffer<std::int32_t> pixels_, class_labels_;
  std::uint32_t random_classes_ = 0, number_ = 0;
};

}  // namespace cambium
