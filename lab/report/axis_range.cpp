#include "lab/report/axis_range.hpp"

#include <algorithm>
#include <cmath>

namespace cambium {

void AxisRange::take(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void AxisRange::take(const AxisRange& other) {
  take(other.low);
  take(other.high);
}

AxisRange AxisRange::widened(double share) const {
  if (!(low <= high)) return {0, 1};
  const double more = high > low ? share * (high - low) : std::max(std::abs(high) * 0.1, 0.5);
  return {low - more, high + more};
}

double AxisRange::step(double pixels) const {
  const double least = (high - low) / std::max(1.0, pixels / 45);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

AxisRange x_range(const Plot& plot, bool with_seeds) {
  if (!plot.categories.empty()) return {0.5, static_cast<double>(plot.categories.size()) + 0.5};
  AxisRange range;
  if (plot.reference_x) range.take(*plot.reference_x);
  bool curves = false;
  for (const auto& series : plot.series) {
    if (series.form == PlotSeries::Form::level) continue;
    curves = curves || series.form == PlotSeries::Form::curve;
    for (const auto& segment : series.means)
      for (const auto& point : segment) range.take(point.x);
    if (with_seeds)
      for (const auto& [x, y] : series.seeds) range.take(x);
  }
  if (!(range.low <= range.high)) return {0.1, 1};
  if (!plot.log_x) return range.widened(curves ? 0.02 : 0.07);
  return {range.low / 1.6, range.high * 1.6};
}

AxisRange y_range(const Plot& plot, bool with_seeds) {
  AxisRange values, intervals;
  if (plot.reference) values.take(*plot.reference);
  if (plot.from_zero) values.take(0);
  for (const auto& series : plot.series) {
    for (const auto& segment : series.means)
      for (const auto& point : segment) {
        values.take(point.mean);
        if (!series.shows_intervals()) continue;
        intervals.take(point.mean - point.half_width);
        intervals.take(point.mean + point.half_width);
      }
    if (with_seeds)
      for (const auto& [x, y] : series.seeds) values.take(y);
  }
  const double most = values.high > values.low ? 0.5 * (values.high - values.low) : INFINITY;
  AxisRange range = values;
  range.take(std::max(intervals.low, values.low - most));
  range.take(std::min(intervals.high, values.high + most));
  return range;
}

}  // namespace cambium
