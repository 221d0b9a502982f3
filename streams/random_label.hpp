// The label of an image in a task with random labels: a pure function, used on the host and in kernels.
#pragma once

#include <cstdint>

#include "base/philox.hpp"

inline std::int32_t random_label(std::uint32_t seed, std::uint32_t task, std::uint32_t image, std::uint32_t classes) {
  const auto random = philox::generate({{image, task, 0, 1}}, {{seed, philox::tasks}});
  return static_cast<std::int32_t>(philox::below(random.word[0], classes));
}
