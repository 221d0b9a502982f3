// Replicas that a training step leaves as they are: one flag each, (R), 1 for frozen; empty when none is.
//
// A replica is frozen when it has taken all its steps of a period in which others still train. No kernel that writes
// parameters, moments or step counts is launched for it.
#pragma once

#include <cstdint>
#include <span>

namespace cambium {

using FrozenReplicas = std::span<const std::uint8_t>;

// Calls body(first, count) for every run of neighbouring replicas that are not frozen.
template <class Body>
void for_active_runs(std::size_t replicas, FrozenReplicas frozen, Body&& body) {
  if (frozen.empty()) return body(std::size_t{0}, replicas);
  for (std::size_t first = 0; first < replicas;) {
    std::size_t end = first;
    while (end < replicas && frozen[end] == 0) ++end;
    if (end > first) body(first, end - first);
    first = end + 1;
  }
}

}  // namespace cambium
