// The steps of a period: planned on the host, enqueued on the device, collected when they have run. A replica that has
// no images left in the period is frozen.
#pragma once

#include "lab/training/trainer.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

// The result of one step of one network, before its update. No images: the network took no step.
struct StepResult {
  std::uint32_t images = 0, correct = 0;
  double loss = 0;  // sum over the images
};

class StepQueue {
 public:
  StepQueue(Device& device, const DeviceImages& images, Curriculum& curriculum, Trainer& trainer);

  // Uploads the batches of up to `count` steps of the curriculum's period, from step `first` on; returns the number of
  // steps planned.
  std::uint32_t plan(std::uint32_t first, std::uint32_t count);
  // Enqueues a planned step. `number`: the number of the step in the run.
  void enqueue(std::uint32_t step, std::uint64_t number, double rate, const TaskView& task);

  // Waits for the planned steps before `end` and returns their results, (steps, R).
  std::vector<StepResult> collect(std::uint32_t end);

 private:
  Device& device_;
  const DeviceImages& images_;
  Curriculum& curriculum_;
  Trainer& trainer_;
  std::uint32_t rows_, capacity_, first_ = 0;
  std::vector<std::uint32_t> counts_;  // (steps, R) images
  std::vector<std::uint8_t> frozen_;   // (steps, R): 1 where a replica has no images
  Buffer<std::int32_t> indices_;       // (steps, R, rows)
  Buffer<float> weights_;              // (steps, R)
  Buffer<float> losses_;               // (steps, R, rows)
  Buffer<std::uint8_t> correct_;
};

}  // namespace cambium
