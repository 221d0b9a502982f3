#include "plasticity/batch_means.hpp"

#include <cmath>

#include "base/error.hpp"

namespace cambium {

std::vector<double> batch_means(std::span<const float> values, std::size_t rows) {
  std::vector<double> means(values.size() / rows, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) means[i / rows] += double{values[i]};
  for (auto& mean : means) mean /= static_cast<double>(rows);
  return means;
}

std::vector<double> logit_distance(std::span<const float> before, std::span<const float> after, std::size_t replicas,
                                   std::size_t classes) {
  expect(before.size() == after.size(), "distance between logits of {} and {} values", before.size(), after.size());
  const std::size_t rows = before.size() / (replicas * classes);
  std::vector<double> means(replicas, 0.0);
  for (std::size_t i = 0; i < replicas * rows; ++i) {
    double squares = 0;
    for (std::size_t c = i * classes; c < (i + 1) * classes; ++c) {
      const double difference = double{after[c]} - double{before[c]};
      squares += difference * difference;
    }
    means[i / rows] += std::sqrt(squares) / static_cast<double>(rows);
  }
  return means;
}

}  // namespace cambium
