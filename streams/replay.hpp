// Tiny ER: keeps a few images of every class of earlier tasks and mixes them into later batches.
//
// The kept images are a function of the seed and of the images seen, so checkpoints need not store them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace cambium {

struct ReplayLimits {
  std::int32_t per_class = 50, in_all = 200;

  // Images that are kept of each class after this number of classes.
  std::int32_t quota(std::size_t classes_seen) const;
};

// The images of every class seen so far.
using SeenImages = std::map<std::int32_t, std::vector<std::int32_t>>;

// The kept images, class by class. A smaller quota, after more classes, keeps a subset of the images that were kept
// before.
std::vector<std::int32_t> kept_images(const SeenImages& seen, const ReplayLimits& limits, std::uint32_t seed);

// The index, of `count` kept images, that stands in a row of a batch: drawn with replacement.
std::uint32_t replayed(std::uint32_t seed, std::uint32_t period, std::uint32_t step, std::uint32_t row,
                       std::uint32_t count);

}  // namespace cambium
