// The order in which an epoch goes through the training images, for R replicas at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace cambium {

// Whole batches, then a last shorter one. A batch lies contiguously, (R, rows).
class EpochOrder {
 public:
  // Every seed has its own order, a function of seed and epoch alone.
  EpochOrder(std::uint32_t images, std::uint32_t batch, std::uint32_t epoch, std::span<const std::uint32_t> seeds);

  static std::uint32_t steps(std::uint32_t images, std::uint32_t batch) { return (images + batch - 1) / batch; }

  std::uint32_t steps() const { return steps(images_, batch_); }
  std::uint32_t rows(std::uint32_t step) const { return std::min(batch_, images_ - step * batch_); }
  std::size_t begin(std::uint32_t step) const { return std::size_t{step} * batch_ * replicas_; }
  const std::vector<std::int32_t>& indices() const { return indices_; }  // of all steps

 private:
  std::uint32_t images_, batch_, replicas_;
  std::vector<std::int32_t> indices_;
};

}  // namespace cambium
