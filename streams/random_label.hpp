// The label that an image has in a task of random labels, as a pure function; for host and kernels alike.
#pragma once

#include <cstdint>

#include "base/philox.hpp"

inline std::int32_t random_label(std::uint32_t seed, std::uint32_t task, std::uint32_t image, std::uint32_t classes) {
  const auto random = philox::generate({{image, task, 0, 1}}, {{seed, philox::tasks}});
  return static_cast<std::int32_t>(philox::below(random.word[0], classes));
}
