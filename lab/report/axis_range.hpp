// What an axis of a plot goes from and to.
#pragma once

#include "lab/report/plot.hpp"

namespace cambium {

struct AxisRange {
  double low = INFINITY, high = -INFINITY;  // of nothing

  void take(double value);  // what is not finite is left out
  void take(const AxisRange& other);
  // With room at both ends, as a share of all.
  AxisRange widened(double share) const;
  // A round step between numbers that leaves room for them.
  double step(double pixels) const;
};

// `with_seeds`: the small points are drawn, too.
AxisRange x_range(const Plot& plot, bool with_seeds);
// All means and seeds. Intervals, too, but of two or three seeds they may be wider by far than all that they are about:
// such are cut at the edge.
AxisRange y_range(const Plot& plot, bool with_seeds);

}  // namespace cambium
