// Philox4x32-10, the counter-based random number generator of Salmon et al. (2011), for host and kernels.
//
// A number is a pure function of a key (seed and purpose) and a counter (index of the number). The generator has no
// state to pass on or save, and the order of draws does not matter.
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

// The purpose of a number, the second word of a key. Draws for one purpose do not affect those for another.
enum Purpose : std::uint32_t {
  initial_weights = 0x494e4954,  // "INIT"
  random_masks = 0x4d41534b,     // "MASK"
  data_order = 0x4f524452,       // "ORDR"
  augmentation = 0x4155474d,     // "AUGM"
  random_slopes = 0x52534c00,    // "RSL"
  scoring_batch = 0x53434f52,    // "SCOR"
  random_scores = 0x53454c45,    // "SELE"
  donor = 0x444f4e52,            // "DONR"
  insertion_noise = 0x4e4f4953,  // "NOIS"
  diagnosis = 0x44494147,        // "DIAG"
  tasks = 0x5441534b,            // "TASK"
  replay = 0x5245504c,           // "REPL"
  examination = 0x4556414c,      // "EVAL"
};

// Returns word `index` of a sequence; `a` to `c` select one of the sequences of a key.
inline std::uint32_t word(Key key, std::uint32_t index, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0) {
  return generate({{index / 4, a, b, c}}, key).word[index % 4];
}

// Uniform in 0 .. bound - 1.
inline std::uint32_t below(std::uint32_t word, std::uint32_t bound) {
  return static_cast<std::uint32_t>((std::uint64_t{word} * bound) >> 32);
}

// Uniform in [0, 1), a multiple of 2^-24.
inline float uniform(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; }

}  // namespace philox
