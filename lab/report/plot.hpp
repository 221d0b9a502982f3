// The numbers of a figure: the values of a panel (lab/report/panel.hpp) for the cells that are done.
//
// A point has one value per seed, the mean over the cells at that point, and shows mean and 95 % interval over the
// seeds. A cell without the key of the x axis (DENSE has no compactness) is a horizontal line; a cell without the key
// of `panels` is in every plot; a cell without the key of `lines` belongs to the line of its variant.
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
  double half_width = 0;  // of the 95 % interval; NaN for a single seed
  std::size_t seeds = 0;
  std::string colour{};  // empty: the colour of the series
};

struct PlotSeries {
  enum class Form {
    line,        // points with error bars, joined
    curve,       // a line with a band for the interval; the last point of every segment is marked
    level,       // a horizontal line at means[0][0].mean
    points,      // a large point for the mean and small points for the seeds
    trajectory,  // large points, joined, each with its own colour
  };
  std::string label, colour;
  std::size_t marker = 0;
  Form form = Form::line;
  double thickness = 1.8;                        // of a curve
  std::vector<std::vector<PlotPoint>> means;     // segments
  std::vector<std::pair<double, double>> seeds;  // x, y of points of single seeds

  // Whether intervals are drawn. The bands of curves are not drawn for two seeds, where they would cover the plot.
  bool shows_intervals() const;
};

struct Plot {
  std::string title, note, x_label, y_label;
  std::vector<std::string> categories;    // at x = 1, 2, ...; empty if x is a number
  std::vector<double> ticks;              // on the x axis; empty: automatic
  bool log_x = false, from_zero = false;  // from_zero: the y axis includes 0
  std::optional<double> reference, reference_x;
  std::vector<double> marks;  // x of thin vertical lines
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
  std::string title;  // of several plots; empty for a single plot, which has its own title
  bool same_scale = true;
  std::vector<Plot> plots;
  std::vector<LegendEntry> legend;
};

// `selected_key`: the key that the experiment selects; cells that are otherwise equal may differ in it.
PlotGroup make_plots(const Panel& panel, std::span<const ShownCell> cells, CellTables& tables,
                     const std::string& selected_key);

}  // namespace cambium
