// Tiny ER: a few images of every class that earlier tasks had, to be mixed into later batches.
//
// What is kept is a function of the seed and of the images seen, so it can be made anew at any time.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace cambium {

struct ReplayLimits {
  std::int32_t per_class = 50, in_all = 200;

  // Images of each class that are kept when so many classes have been seen.
  std::int32_t quota(std::size_t classes_seen) const;
};

// The images of every class seen so far.
using SeenImages = std::map<std::int32_t, std::vector<std::int32_t>>;

// Those that are kept, class by class. When another class comes and the quota shrinks, those that stay are among those
// that were there before.
std::vector<std::int32_t> kept_images(const SeenImages& seen, const ReplayLimits& limits, std::uint32_t seed);

// Which of `count` kept images stands in a row of a batch: any, and any number of times.
std::uint32_t replayed(std::uint32_t seed, std::uint32_t period, std::uint32_t step, std::uint32_t row,
                       std::uint32_t count);

}  // namespace cambium
