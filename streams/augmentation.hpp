// Random crop and flip of a training image: a pure function of seed, step and row, used on the host and in kernels.
#pragma once

#include <cstdint>

#include "base/philox.hpp"

// The image is padded by `padding` black pixels on every side and cropped to its size at (down, across); then it is
// mirrored left to right if `flip`.
struct Augmentation {
  static constexpr std::uint32_t padding = 4;
  std::uint32_t down, across;
  bool flip;
};

inline Augmentation augmentation_at(std::uint32_t seed, std::uint64_t step, std::uint32_t row) {
  const auto random =
      philox::generate({{row, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), 0}},
                       {{seed, philox::augmentation}});
  constexpr std::uint32_t places = 2 * Augmentation::padding + 1;
  return {philox::below(random.word[0], places), philox::below(random.word[1], places), (random.word[2] >> 31) != 0};
}
