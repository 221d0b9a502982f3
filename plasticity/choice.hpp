// Selects the units of an edit by their scores. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cambium {

struct Choice {
  std::vector<std::int32_t> units;  // in the order of selection
  std::vector<float> scores;        // theirs
  std::optional<float> runner_up;   // the score of the first unit not selected; none if all were
};

// The `count` inactive units with the highest scores. Ties: the lower unit number wins. NaN is the lowest score.
Choice highest_inactive(std::span<const float> scores, std::span<const std::uint8_t> mask, std::int32_t count);

// The `count` active units with the lowest scores, with the same rules.
Choice lowest_active(std::span<const float> scores, std::span<const std::uint8_t> mask, std::int32_t count);

}  // namespace cambium
