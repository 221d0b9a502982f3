// The numbers of a figure: what a panel (lab/report/panel.hpp) shows of the cells that are done.
//
// Values are formed per seed: where several cells fall on one point, their mean; then come mean and 95 % interval over
// the seeds. A cell that does not have the key of the x axis (DENSE has no compactness) is a level across the plot; one
// that does not have the key of the panels is in all of them; one without the key of the lines is told by its variant.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/report/panel.hpp"
#include "lab/report/shown_cell.hpp"

namespace cambium {

struct PlotPoint {
  double x = 0, mean = 0;
  double half_width = 0;  // NaN of a single seed
  std::size_t seeds = 0;
  std::string colour{};  // of its own; empty: that of the series
};

struct PlotSeries {
  enum class Form {
    line,        // points with bars, joined
    curve,       // a line with a band; the last point of every segment is marked
    level,       // of means[0][0].mean, right across
    points,      // one large point among small ones
    trajectory,  // large points, joined, each with a colour of its own
  };
  std::string label, colour;
  std::size_t marker = 0;
  Form form = Form::line;
  double thickness = 1.8;                        // of curves
  std::vector<std::vector<PlotPoint>> means;     // segments
  std::vector<std::pair<double, double>> seeds;  // small points

  // Whether intervals are drawn. Those of curves are bands, and of two seeds they would cover everything.
  bool shows_intervals() const;
};

struct Plot {
  std::string title, note, x_label, y_label;
  std::vector<std::string> categories;    // at 1, 2, ...; empty: x are numbers
  std::vector<double> ticks;              // where x has few values
  bool log_x = false, from_zero = false;  // from_zero: so does the y axis
  std::optional<double> reference, reference_x;
  std::vector<double> marks;  // thin upright lines at these x
  std::vector<PlotSeries> series;

  bool empty() const;
};

struct LegendEntry {
  std::string label, colour;
  std::size_t marker = 0;
  PlotSeries::Form form = PlotSeries::Form::line;

  bool operator==(const LegendEntry&) const = default;
};

// All plots of one panel.
struct PlotGroup {
  std::string title;  // over several plots; empty for one, which has its own
  bool same_scale = true;
  std::vector<Plot> plots;
  std::vector<LegendEntry> legend;
};

// `selected_key`: of the experiment; cells that are otherwise the same may differ in it.
PlotGroup make_plots(const Panel& panel, std::span<const ShownCell> cells, CellTables& tables,
                     const std::string& selected_key);

}  // namespace cambium
