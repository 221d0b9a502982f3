// Steps of a period on their way through the trainer: planned on the host, enqueued, collected when they have run.
#pragma once

#include "lab/training/trainer.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

class StepQueue {
 public:
  StepQueue(Device& device, const DeviceImages& images, Curriculum& curriculum, Trainer& trainer);

  // Brings the batches of steps first .. first + count - 1 of the curriculum's period to the device, or of fewer:
  // returns of how many.
  std::uint32_t plan(std::uint32_t first, std::uint32_t count);
  // Enqueues a planned step. `number`: in the run.
  void enqueue(std::uint32_t step, std::uint64_t number, double rate, const TaskView& task);

  // What a step of one network came to, before its update. No images: it took no step.
  struct Outcome {
    std::uint32_t images = 0, correct = 0;
    double loss = 0;  // sum over the images
  };
  // (steps, R) of the planned steps before `end`, when they have run.
  std::vector<Outcome> collect(std::uint32_t end);

 private:
  Device& device_;
  const DeviceImages& images_;
  Curriculum& curriculum_;
  Trainer& trainer_;
  std::uint32_t rows_, capacity_, first_ = 0;
  std::vector<std::uint32_t> counts_;  // (steps, R)
  Buffer<std::int32_t> indices_;       // (steps, R, rows)
  Buffer<float> weights_;              // (steps, R)
  Buffer<float> losses_;               // (steps, R, rows)
  Buffer<std::uint8_t> correct_;
};

}  // namespace cambium
