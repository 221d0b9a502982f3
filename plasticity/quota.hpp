// How many units each layer has before, between and after edits. Pure arithmetic.
//
// Training has T segments (cycles, or tasks); event e lies between segments e and e + 1, and with a first edit before
// the first segment there is an event 0, too. Every event moves a layer towards its target by the share that is due.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cambium {

enum class Method { dense, grow, prune };
std::string name_of(Method method);

// Units of a layer that GROW starts with: a share of its width, rounded half up; at least one, at most the target.
std::int32_t seed_units(std::int32_t width, std::int32_t target, double share);

// Units to activate at the event after segment t of T, when `active` of `width` are.
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

// Active units of a layer after `events` of the plan's events, when it began with `start`.
std::int32_t active_after(const EventPlan& plan, std::int32_t start, std::int32_t target, std::int32_t width,
                          std::int32_t events);

}  // namespace cambium
