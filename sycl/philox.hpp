// Philox4x32-10, the counter-based random generator of Salmon et al. (2011), for host and kernels alike.
//
// A number is a pure function of a key (who draws, and what for) and a counter (which one it is): there is no state to
// carry or to save, and the order of drawing does not matter.
#pragma once

#include <cstdint>

namespace philox {

struct Words {
  std::uint32_t word[4];
};
struct Key {
  std::uint32_t word[2];
};

inline Words generate(Words counter, Key key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {
        {static_cast<std::uint32_t>(second >> 32) ^ counter.word[1] ^ key.word[0], static_cast<std::uint32_t>(second),
         static_cast<std::uint32_t>(first >> 32) ^ counter.word[3] ^ key.word[1], static_cast<std::uint32_t>(first)}};
    key.word[0] += 0x9E3779B9u;
    key.word[1] += 0xBB67AE85u;
  }
  return counter;
}

// Uniform in [0, 1), a multiple of 2^-24.
inline float uniform(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

}  // namespace philox
