#include "plasticity/quota.hpp"

#include <algorithm>
#include <cmath>

namespace cambium {
namespace {

// ceil(distance / remaining segments), when segment t of T has ended.
std::int32_t due(std::int32_t distance, std::int32_t t, std::int32_t T) {
  const std::int32_t left = std::max(1, T - t);
  return (distance + left - 1) / left;
}

}  // namespace

std::string name_of(Method method) {
  return method == Method::grow ? "grow" : method == Method::prune ? "prune" : "dense";
}

std::int32_t seed_units(std::int32_t width, std::int32_t target, double share) {
  // Round half up. 1e-9 makes up for rounding errors: 0.29 * 50 is a little less than 14.5.
  return std::max(1, std::min(static_cast<std::int32_t>(std::floor(share * width + 0.5 + 1e-9)), target));
}

std::int32_t grow_count(std::int32_t active, std::int32_t target, std::int32_t width, std::int32_t t, std::int32_t T) {
  const std::int32_t distance = std::max(0, target - active);
  return std::min({distance, due(distance, t, T), width - active});
}

std::int32_t prune_count(std::int32_t active, std::int32_t target, std::int32_t t, std::int32_t T) {
  const std::int32_t distance = std::max(0, active - target);
  return std::min({distance, due(distance, t, T), active});
}

std::int32_t active_after(const EventPlan& plan, std::int32_t start, std::int32_t target, std::int32_t width,
                          std::int32_t events) {
  std::int32_t active = start;
  for (std::int32_t t = plan.first(); t < plan.first() + events; ++t)
    active += plan.method == Method::grow ? grow_count(active, target, width, t, plan.segments)
                                          : -prune_count(active, target, t, plan.segments);
  return active;
}

}  // namespace cambium
