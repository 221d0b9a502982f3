#include "plasticity/choice.hpp"

#include <algorithm>
#include <cmath>

namespace cambium {
namespace {

Choice choose(std::span<const float> scores, std::span<const std::uint8_t> mask, bool active, bool highest,
              std::int32_t count) {
  std::vector<std::int32_t> candidates;
  for (std::size_t unit = 0; unit < mask.size(); ++unit)
    if ((mask[unit] != 0) == active) candidates.push_back(static_cast<std::int32_t>(unit));
  const auto key = [&](std::int32_t unit) {
    const float score = scores[static_cast<std::size_t>(unit)];
    return std::isnan(score) ? -INFINITY : score;
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](std::int32_t a, std::int32_t b) { return highest ? key(a) > key(b) : key(a) < key(b); });
  Choice choice;
  const auto taken = std::min(static_cast<std::size_t>(count), candidates.size());
  for (std::size_t i = 0; i < taken; ++i) {
    choice.units.push_back(candidates[i]);
    choice.scores.push_back(scores[static_cast<std::size_t>(candidates[i])]);
  }
  if (taken < candidates.size()) choice.runner_up = scores[static_cast<std::size_t>(candidates[taken])];
  return choice;
}

}  // namespace

Choice highest_inactive(std::span<const float> scores, std::span<const std::uint8_t> mask, std::int32_t count) {
  return choose(scores, mask, false, true, count);
}

Choice lowest_active(std::span<const float> scores, std::span<const std::uint8_t> mask, std::int32_t count) {
  return choose(scores, mask, true, false, count);
}

}  // namespace cambium
