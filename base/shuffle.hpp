// Random orders, as pure functions of a key.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/philox.hpp"

namespace cambium {

// Draws `amount` of the numbers 0 .. count - 1 without replacement (Fisher-Yates, from the back). `sequence` selects
// one of the sequences of a key.
inline std::vector<std::int32_t> drawn(std::uint32_t count, std::uint32_t amount, philox::Key key,
                                       std::uint32_t sequence) {
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  philox::Words words{};
  for (std::uint32_t done = 0, left = count; left > 1 && done < amount; ++done, --left) {
    if (done % 4 == 0) words = philox::generate({{done / 4, sequence, 0, 0}}, key);
    std::swap(order[left - 1], order[philox::below(words.word[done % 4], left)]);
  }
  order.erase(order.begin(), order.end() - amount);
  return order;
}

// Returns the numbers 0 .. count - 1 in random order.
inline std::vector<std::int32_t> shuffled(std::uint32_t count, philox::Key key, std::uint32_t sequence) {
  return drawn(count, count, key, sequence);
}

}  // namespace cambium
