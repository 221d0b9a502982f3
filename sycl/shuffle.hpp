// Random orders, as pure functions of a key.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "sycl/philox.hpp"

namespace cambium {

// 0 .. count - 1 in a random order (Fisher-Yates); `sequence` tells the orders of one key apart.
inline std::vector<std::int32_t> shuffled(std::uint32_t count, philox::Key key, std::uint32_t sequence) {
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  philox::Words words{};
  for (std::uint32_t drawn = 0, left = count; left > 1; ++drawn, --left) {
    if (drawn % 4 == 0) words = philox::generate({{drawn / 4, sequence, 0, 0}}, key);
    std::swap(order[left - 1], order[philox::below(words.word[drawn % 4], left)]);
  }
  return order;
}

}  // namespace cambium
