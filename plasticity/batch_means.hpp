// Means over the images of a batch, for every network. Computed on the host.
#pragma once

#include <span>
#include <vector>

namespace cambium {

// (R) means of values (R, rows).
std::vector<double> batch_means(std::span<const float> values, std::size_t rows);

// (R) means of the L2 distances between two sets of logits (R, rows, classes).
std::vector<double> logit_distance(std::span<const float> before, std::span<const float> after, std::size_t replicas,
                                   std::size_t classes);

}  // namespace cambium
