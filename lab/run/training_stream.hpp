// The images of a run: training and test images on the device, the curriculum, and the task that the networks train on.
#pragma once

#include <optional>

#include "lab/run/observer.hpp"
#include "streams/curriculum.hpp"
#include "streams/device_images.hpp"
#include "streams/device_tasks.hpp"

namespace cambium {

class TrainingStream : public Persistent {
 public:
  // Moves the pixels of `data` to the device and frees them on the host; the labels stay.
  TrainingStream(Device& device, const RunConfig& config, DataSet& data);

  // The images kept for replay follow from the seed; they are persisted to detect a damaged checkpoint.
  void persist(Archive& archive) override;

  // Makes a period, and its task, the current one.
  void enter_period(std::int32_t period);

  Curriculum& curriculum() { return curriculum_; }
  const DeviceImages& train() const { return train_; }
  const DeviceImages* test() const { return test_ ? &*test_ : nullptr; }  // null for a shifting stream
  TaskView task() const { return *task_; }

 private:
  std::vector<std::int32_t> kept() const;

  Device& device_;
  const RunConfig& config_;
  Curriculum curriculum_;
  DeviceImages train_;
  std::optional<DeviceImages> test_;
  std::optional<DeviceTasks> task_;
  std::int32_t task_number_ = -1;
};

}  // namespace cambium
