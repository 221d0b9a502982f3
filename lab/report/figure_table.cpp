// Writes the data of a figure as CSV.

#include <algorithm>
#include <cmath>

#include "lab/report/figure.hpp"

namespace cambium {
namespace {

std::string csv_field(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  return text.find_first_of(",\n") == std::string::npos ? text : "\"" + text + "\"";
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.8g}", value) : ""; }

std::string x_field(const Plot& plot, const PlotSeries& series, double x) {
  if (series.form == PlotSeries::Form::level) return "";
  if (plot.categories.empty()) return fmt::format("{:.8g}", x);
  return csv_field(plot.categories.at(static_cast<std::size_t>(x) - 1));
}

}  // namespace

std::string figure_table(const Figure& figure) {
  std::string table = "panel,line,x,mean,half_width,seeds\n";
  for (const auto& group : figure.groups)
    for (const auto& plot : group.plots)
      for (const auto& series : plot.series)
        for (const auto& segment : series.means)
          for (const auto& point : segment)
            table +=
                fmt::format("{},{},{},{},{},{}\n", csv_field(plot.title), csv_field(series.label),
                            x_field(plot, series, point.x), number(point.mean), number(point.half_width), point.seeds);
  return table;
}

}  // namespace cambium
