#include "lab/results/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "base/error.hpp"

namespace cambium {
namespace {

using boost::math::students_t;

// The half-width of a 95 % interval in standard errors.
double quantile(std::size_t count) { return boost::math::quantile(students_t(static_cast<double>(count - 1)), 0.975); }

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Estimate estimate(std::span<const double> values) {
  Estimate result{values.size(), NAN, NAN, NAN};
  if (values.empty()) return result;
  result.mean = mean_of(values);
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const auto count = static_cast<double>(values.size());
  result.deviation = std::sqrt(squares / (count - 1));
  result.half_width = quantile(values.size()) * result.deviation / std::sqrt(count);
  return result;
}

WelchTest welch_test(const Estimate& first, const Estimate& second) {
  if (first.count < 2 || second.count < 2) return {NAN, NAN, NAN};
  const auto share = [](const Estimate& sample) {
    return sample.deviation * sample.deviation / static_cast<double>(sample.count);
  };
  const double v1 = share(first), v2 = share(second), difference = first.mean - second.mean;
  if (v1 + v2 == 0)
    return difference == 0 ? WelchTest{0, NAN, 1} : WelchTest{std::copysign(INFINITY, difference), NAN, 0};
  WelchTest test;
  test.t = difference / std::sqrt(v1 + v2);
  test.degrees = (v1 + v2) * (v1 + v2) /
                 (v1 * v1 / static_cast<double>(first.count - 1) + v2 * v2 / static_cast<double>(second.count - 1));
  test.p = 2 * boost::math::cdf(boost::math::complement(students_t(test.degrees), std::abs(test.t)));
  return test;
}

std::vector<double> average_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + 1 + last);
  }
  return ranks;
}

double spearman(std::span<const double> first, std::span<const double> second) {
  expect(first.size() == second.size(), "{} values beside {}", first.size(), second.size());
  if (first.size() < 2) return NAN;
  const auto a = average_ranks(first), b = average_ranks(second);
  const double middle = mean_of(a);  // the same for both
  double both = 0, one = 0, other = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - middle) * (b[i] - middle);
    one += (a[i] - middle) * (a[i] - middle);
    other += (b[i] - middle) * (b[i] - middle);
  }
  return one == 0 || other == 0 ? NAN : both / std::sqrt(one * other);
}

}  // namespace cambium
