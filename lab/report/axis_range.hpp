// Ranges of the axes of a plot.
#pragma once

#include "lab/report/plot.hpp"

namespace cambium {

struct AxisRange {
  double low = INFINITY, high = -INFINITY;  // an empty range

  // Extends the range; values that are not finite are ignored.
  void take(double value);
  void take(const AxisRange& other);
  // The range with a margin at both ends, a fraction of its length; [0, 1] if it is empty.
  AxisRange widened(double share) const;
  // A round distance between ticks that leaves room for their labels.
  double step(double pixels) const;
};

// `with_seeds`: points of single seeds are drawn too.
AxisRange x_range(const Plot& plot, bool with_seeds);
// Includes all means and seeds, and the intervals up to half of that range beyond it: intervals of two or three seeds
// can be much wider than the differences between the means.
AxisRange y_range(const Plot& plot, bool with_seeds);

}  // namespace cambium
