// From the scores of a layer's units to those that an edit takes. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cambium {

struct Choice {
  std::vector<std::int32_t> units;  // the first to be taken first
  std::vector<float> scores;        // theirs
  std::optional<float> runner_up;   // the score of the first that was not taken; none when all candidates were
};

// `count` inactive units with the highest scores; of equals the lower unit. A score that is not a number is the lowest.
Choice highest_inactive(std::span<const float> scores, std::span<const std::uint8_t> mask, std::int32_t count);

// `count` active units with the lowest scores, likewise.
Choice lowest_active(std::span<const float> scores, std::span<const std::uint8_t> mask, std::int32_t count);

}  // namespace cambium
