// Synthetic labels and images for tests of streams. Streams use no other part of a data set.
#pragma once

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

#include "streams/data/images.hpp"

// The same number of images of every class; the classes alternate.
inline std::vector<std::uint16_t> made_labels(std::uint16_t classes, std::size_t each) {
  std::vector<std::uint16_t> labels(classes * each);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint16_t>(i % classes);
  return labels;
}

// counts[c] images of class c, in the order of the classes.
inline std::vector<std::uint16_t> labels_with_counts(const std::vector<std::size_t>& counts) {
  std::vector<std::uint16_t> labels;
  for (std::size_t c = 0; c < counts.size(); ++c) labels.insert(labels.end(), counts[c], static_cast<std::uint16_t>(c));
  return labels;
}

// Images without pixels.
inline cambium::Images images_labelled(std::vector<std::uint16_t> labels) {
  const auto count = static_cast<std::int32_t>(labels.size());
  return {.count = count, .height = 28, .width = 28, .channels = 1, .pixels = {}, .labels = std::move(labels)};
}

inline std::set<std::int32_t> classes_among(const std::vector<std::int32_t>& images,
                                            const std::vector<std::uint16_t>& labels) {
  std::set<std::int32_t> classes;
  for (const auto image : images) classes.insert(labels.at(static_cast<std::size_t>(image)));
  return classes;
}

inline std::vector<std::int32_t> sorted(std::vector<std::int32_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// 0 .. count - 1.
inline std::vector<std::int32_t> numbers_below(std::size_t count) {
  std::vector<std::int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// The chi-square statistic of counts against a uniform distribution; its mean is the number of counts minus one.
inline double chi_square(const std::vector<int>& counts) {
  const double expected = std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}
