// Labelled images on the device, as bytes, and the kernel that gathers them into batches.
#pragma once

#include <cstdint>
#include <vector>

#include "layers/architecture.hpp"
#include "streams/data/images.hpp"
#include "streams/device_tasks.hpp"
#include "sycl/memory.hpp"

namespace cambium {

class Device;

// pixel := scale[channel] * byte + shift[channel]
struct Normalisation {
  std::vector<float> scale, shift;

  static Normalisation unit(std::int32_t channels);  // byte / 255
  static Normalisation standardised(const std::vector<float>& mean, const std::vector<float>& deviation);
};

// The images of the batches of R replicas, and how they are changed.
struct BatchPlan {
  View<const std::int32_t> indices;  // (R, rows); negative: a black row with label -1
  std::uint32_t replicas = 0, rows = 0;
  bool augment = false;  // random crop and flip: a function of seed, step and row
  std::uint64_t step = 0;
  View<const std::uint32_t> seeds;  // (R), for augmentation and random labels
  TaskView task;                    // permutes pixels after augmentation, and changes labels
};

class DeviceImages {
 public:
  DeviceImages(Device& device, const Images& images, const Normalisation& normalisation);

  std::uint32_t count() const { return count_; }
  ImageShape shape() const { return shape_; }

  // images (R, rows, height, width, channels) and labels (R, rows), overwritten.
  void gather(Device& device, const BatchPlan& plan, View<float> images, View<std::int32_t> labels) const;

 private:
  std::uint32_t count_;
  ImageShape shape_;
  Buffer<std::uint8_t> pixels_;
  Buffer<std::uint16_t> labels_;
  std::uint32_t classes_ = 0;  // 1 + the largest label
  Normalisation normalisation_;
};

}  // namespace cambium
