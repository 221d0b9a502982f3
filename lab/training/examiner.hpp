// Examines the networks of a run on the tasks they have had: on test images where the tasks are classes of a data set,
// on the tasks' own images in a shifting stream.
#pragma once

#include "lab/config/config.hpp"
#include "lab/results/task_scores.hpp"
#include "lab/training/trainer.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

class Examiner {
 public:
  // A shifting stream has no `test` images.
  Examiner(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
           const DeviceImages& train, const DeviceImages* test, std::vector<std::uint16_t> test_labels);

  // On tasks 0 .. task.
  TaskEvaluation examine(std::int32_t task);

 private:
  void examine_classes(TaskEvaluation& result);
  void examine_own_images(TaskEvaluation& result);

  Device& device_;
  const RunConfig& config_;
  const Curriculum& curriculum_;
  Trainer& trainer_;
  const DeviceImages& train_;
  const DeviceImages* test_;
  std::vector<std::uint16_t> test_labels_;
  std::vector<std::vector<std::vector<std::int32_t>>> classes_;  // of every replica's tasks
};

}  // namespace cambium
