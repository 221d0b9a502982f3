// Statistics over seeds: means with their intervals, Welch's test, rank correlation. Host arithmetic, double precision.
#pragma once

#include <span>
#include <vector>

namespace cambium {

// A mean and the half-width of its 95 % confidence interval, by Student's t with n - 1 degrees of freedom.
struct Estimate {
  std::size_t count = 0;
  double mean = 0;        // NaN if there are no values
  double deviation = 0;   // with n - 1; NaN for fewer than two values
  double half_width = 0;  // NaN for fewer than two values
};
Estimate estimate(std::span<const double> values);

// Two-sided test that two samples of unequal variances have the same mean.
struct WelchTest {
  double t = 0, degrees = 0, p = 1;
};
// NaN if a sample has fewer than two values. For two constant samples p is 0 or 1.
WelchTest welch_test(const Estimate& first, const Estimate& second);

// Spearman's rank correlation, with average ranks for ties; NaN for fewer than two pairs or if one side is constant.
double spearman(std::span<const double> first, std::span<const double> second);

// Ranks 1 .. n; ties have the mean of their ranks.
std::vector<double> average_ranks(std::span<const double> values);

}  // namespace cambium
