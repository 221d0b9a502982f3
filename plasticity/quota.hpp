// The number of active units of each layer before, between and after edits. Pure functions.
//
// Training has T segments (cycles or tasks). Event e is between segments e and e + 1; event 0, before the first
// segment, is optional. Each event moves a layer towards its target by ceil(distance / remaining segments).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cambium {

enum class Method { dense, grow, prune };
std::string name_of(Method method);

// Units of a layer at the start of GROW: a fraction of its width, rounded half up; at least 1, at most the target.
std::int32_t seed_units(std::int32_t width, std::int32_t target, double share);

// Units to activate at the event after segment t of T, if `active` of `width` units are active.
std::int32_t grow_count(std::int32_t active, std::int32_t target, std::int32_t width, std::int32_t t, std::int32_t T);
// Units to remove.
std::int32_t prune_count(std::int32_t active, std::int32_t target, std::int32_t t, std::int32_t T);

// Events of a run: first .. T - 1.
struct EventPlan {
  Method method = Method::dense;
  std::int32_t segments = 1;  // T
  bool before_first = false;

  std::int32_t first() const { return before_first ? 0 : 1; }
  std::int32_t count() const { return method == Method::dense ? 0 : segments - first(); }
};

// Active units of a layer after `events` of the plan's events, starting with `start`.
std::int32_t active_after(const EventPlan& plan, std::int32_t start, std::int32_t target, std::int32_t width,
                          std::int32_t events);

}  // namespace cambium
