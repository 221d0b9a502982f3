// Statistics over seeds: means with their intervals, Welch's test, rank correlation. Host arithmetic, double precision.
#pragma once

#include <span>
#include <vector>

namespace cambium {

// A mean and the half-width of its 95 % confidence interval, by Student's t with n - 1 degrees of freedom.
struct Estimate {
  std::size_t count = 0;
  double mean = 0;        // NaN of no values
  double deviation = 0;   // with n - 1; NaN of fewer than two values
  double half_width = 0;  // likewise
};
Estimate estimate(std::span<const double> values);

// Two-sided test that two samples of unequal variances have the same mean.
struct WelchTest {
  double t = 0, degrees = 0, p = 1;
};
// NaN where a sample has fewer than two values. Two constant samples differ for certain, or not at all.
WelchTest welch_test(const Estimate& first, const Estimate& second);

// From what a table prints: `half_width` of a 95 % interval over `count` seeds.
Estimate printed_estimate(double mean, double half_width, std::size_t count);

// Rank correlation, with average ranks for ties; NaN of fewer than two pairs, or where one side is constant.
double spearman(std::span<const double> first, std::span<const double> second);

// Ranks 1 .. n, ties sharing the mean of theirs.
std::vector<double> average_ranks(std::span<const double> values);

}  // namespace cambium
