// Matrix products over runs of replicas whose layers have equal widths.
#pragma once

#include "layers/frozen_replicas.hpp"
#include "layers/parameters.hpp"
#include "sycl/gemm.hpp"

namespace cambium {

// Calls body(first replica, how many, inputs, units) for every run of replicas that have equal widths and are not
// frozen. Matrix products leave padding out in this way, so the bits of a replica do not depend on the others.
template <class Body>
void for_equal_replicas(const LayerLayout& layer, FrozenReplicas frozen, Body&& body) {
  const auto& inputs = layer.active_inputs;
  const auto& units = layer.active_units;
  for_active_runs(units.size(), frozen, [&](std::size_t begin, std::size_t count) {
    for (std::size_t first = begin, end = begin; first < begin + count; first = end) {
      while (end < begin + count && inputs[end] == inputs[first] && units[end] == units[first]) ++end;
      body(static_cast<std::int64_t>(first), static_cast<std::int64_t>(end - first), inputs[first], units[first]);
    }
  });
}

// The upper left part of some of the replicas' matrices.
template <class T>
Matrices<T> part(const Matrices<T>& all, std::int64_t first, std::int64_t replicas, std::int64_t rows,
                 std::int64_t columns) {
  Matrices<T> result = all;
  const auto offset = static_cast<std::size_t>(first * all.stride);
  result.data = all.data.slice(offset, all.data.size() - offset);
  result.replicas = replicas;
  result.rows = rows;
  result.columns = columns;
  return result;
}

}  // namespace cambium
