#include "streams/replay.hpp"

#include <algorithm>

#include "base/shuffle.hpp"

namespace cambium {

std::int32_t ReplayLimits::quota(std::size_t classes_seen) const {
  return classes_seen == 0 ? 0 : std::min(per_class, in_all / static_cast<std::int32_t>(classes_seen));
}

std::vector<std::int32_t> kept_images(const SeenImages& seen, const ReplayLimits& limits, std::uint32_t seed) {
  std::vector<std::int32_t> kept;
  for (const auto& [label, images] : seen) {
    // One random order per class; a quota keeps the first images of it.
    const auto count = static_cast<std::uint32_t>(images.size());
    const auto order = drawn(count, std::min(count, static_cast<std::uint32_t>(limits.per_class)),
                             {{seed, philox::replay}}, static_cast<std::uint32_t>(label));
    const auto quota = std::min(order.size(), static_cast<std::size_t>(limits.quota(seen.size())));
    for (std::size_t i = 0; i < quota; ++i) kept.push_back(images[static_cast<std::size_t>(order[i])]);
  }
  return kept;
}

std::uint32_t replayed(std::uint32_t seed, std::uint32_t period, std::uint32_t step, std::uint32_t row,
                       std::uint32_t count) {
  return philox::below(philox::word({{seed, philox::replay}}, row, step, period, 1), count);
}

}  // namespace cambium
