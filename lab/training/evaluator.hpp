// Evaluates the networks of a run on the tasks so far: on test images if the tasks are classes of a data set, on the
// training images of the tasks in a shifting stream.
#pragma once

#include "lab/config/config.hpp"
#include "lab/results/task_scores.hpp"
#include "lab/training/trainer.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

class TaskEvaluator {
 public:
  // A shifting stream has no `test` images.
  TaskEvaluator(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
                const DeviceImages& train, const DeviceImages* test, std::vector<std::uint16_t> test_labels);

  // Evaluates on tasks 0 .. task.
  TaskEvaluation evaluate(std::int32_t task);

 private:
  void evaluate_classes(TaskEvaluation& result);
  void evaluate_own_images(TaskEvaluation& result);

  Device& device_;
  const RunConfig& config_;
  const Curriculum& curriculum_;
  Trainer& trainer_;
  const DeviceImages& train_;
  const DeviceImages* test_;
  std::vector<std::uint16_t> test_labels_;
  std::vector<std::vector<std::vector<std::int32_t>>> classes_;  // (R, tasks): the classes of a task
};

}  // namespace cambium
