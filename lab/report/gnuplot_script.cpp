// Writes figures as gnuplot scripts and data, in the layout of figure_layout.hpp.

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "lab/report/axis_range.hpp"
#include "lab/report/figure.hpp"
#include "lab/report/figure_layout.hpp"
#include "lab/results/labels.hpp"

namespace cambium {
namespace {

constexpr auto neutral = "#737880";  // of text and axes; tidy_svg() replaces it
constexpr std::size_t most_seed_points = 1500;
constexpr int point_types[] = {7, 5, 9, 13, 11, 15};

int point_type(std::size_t marker) { return point_types[marker % std::size(point_types)]; }

// The text in single quotes, where gnuplot does not execute backquoted commands.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return result + "'";
}

class ScriptWriter {
 public:
  explicit ScriptWriter(const Figure& figure) : figure_(figure), layout_(figure) {
    std::size_t seeds = 0;
    for (const auto& block : layout_.blocks())
      for (const auto* plot : block.plots)
        for (const auto& series : plot->series) seeds += series.seeds.size();
    draw_seeds_ = seeds <= most_seed_points;
    if (!draw_seeds_) text_.points_left_out = seeds;
  }

  FigureText write() {
    text_.width = layout_.width();
    text_.height = layout_.height();
    text_.script = fmt::format(
        "# {}\n# Draws {}.svg: gnuplot {}.gp\n"
        "reset\n"
        "set terminal svg size {},{} dynamic font 'sans-serif,12'\n"
        "set output {}\n"
        "set encoding utf8\n"
        "set minussign\n"
        "set errorbars 0.5\n"
        "set border 3 lc rgb '{}'\n"
        "set tics nomirror scale 0.5 textcolor rgb '{}'\n"
        "set grid ytics lt 1 lw 0.5 lc rgb '#B0808080'\n"
        "unset key\n"
        "set multiplot\n",
        one_line(figure_.title), one_line(figure_.name), one_line(figure_.name), text_.width, text_.height,
        in_quotes("./" + figure_.name + ".svg"), neutral, neutral);
    double top = 0;
    for (const auto& block : layout_.blocks()) {
      write_block(block, top);
      top += layout_.height_of(block);
    }
    text_.script += "unset multiplot\nunset output\n";
    return text_;
  }

 private:
  static std::string one_line(std::string text) {
    for (char& c : text)
      if (static_cast<unsigned char>(c) < 32 || c == '\\') c = ' ';
    return text;
  }

  double screen_x(double pixels) const { return pixels / text_.width; }
  double screen_y(double pixels) const { return 1 - pixels / text_.height; }

  void write_block(const Block& block, double top) {
    std::string& script = text_.script;
    if (!block.title.empty())
      script +=
          fmt::format("set label {} at screen {:.5f},{:.5f} left noenhanced font ',14' textcolor rgb '{}'\n",
                      in_quotes(shortened(block.title, 0.8 * text_.width)), screen_x(10), screen_y(top + 16), neutral);
    top += layout_.title_height(block);
    const auto places = layout_.legend_places(block);
    for (std::size_t i = 0; i < places.size(); ++i)
      write_legend_entry(block.legend[i], places[i].first, top + 8 + places[i].second);
    top += layout_.legend_height(block);

    AxisRange shared;
    for (const auto* plot : block.plots) shared.take(y_range(*plot, draw_seeds_));
    for (std::size_t i = 0; i < block.plots.size(); ++i) {
      const auto column = i % layout_.columns(block), row = i / layout_.columns(block);
      const double left = layout_.left_of(block, column);
      const double upper = top + static_cast<double>(row) * layout_.row_height(block);
      const auto range = (block.same_scale ? shared : y_range(*block.plots[i], draw_seeds_)).widened(0.06);
      script += fmt::format(
          "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\nset tmargin at screen {:.5f}\nset bmargin at "
          "screen {:.5f}\n",
          screen_x(left), screen_x(left + layout_.plot_width(block)), screen_y(upper + layout_.top_margin(block)),
          screen_y(upper + layout_.top_margin(block) + layout_.plot_height(block)));
      if (layout_.labelled(block, column)) {
        const auto lines = wrapped(block.plots[i]->y_label, layout_.plot_height(block) + 14);
        for (std::size_t line = 0; line < lines.size(); ++line)
          script += fmt::format(
              "set label {} at screen {:.5f},{:.5f} center rotate by 90 noenhanced textcolor rgb '{}'\n",
              in_quotes(lines[line]), screen_x(left - 58 - 15 * static_cast<double>(lines.size() - 1 - line)),
              screen_y(upper + layout_.top_margin(block) + layout_.plot_height(block) / 2), neutral);
      }
      write_plot(block, *block.plots[i], range);
      script += "unset label\nunset arrow\n";
    }
  }

  void write_legend_entry(const LegendEntry& entry, double x, double y) {
    std::string& script = text_.script;
    const std::string colour = entry.colour.empty() ? neutral : entry.colour;
    const bool line = entry.form != PlotSeries::Form::points && entry.form != PlotSeries::Form::trajectory;
    if (line)
      script += fmt::format(
          "set arrow from screen {:.5f},{:.5f} to screen {:.5f},{:.5f} nohead lw 1.8 dt {} lc rgb '{}'\n", screen_x(x),
          screen_y(y), screen_x(x + 26), screen_y(y), entry.form == PlotSeries::Form::level ? 2 : 1, colour);
    if (entry.form != PlotSeries::Form::level)
      script += fmt::format("set label '' at screen {:.5f},{:.5f} point pt {} ps 0.8 lc rgb '{}'\n", screen_x(x + 13),
                            screen_y(y), point_type(entry.marker), colour);
    script += fmt::format("set label {} at screen {:.5f},{:.5f} left noenhanced textcolor rgb '{}'\n",
                          in_quotes(entry.label), screen_x(x + 33), screen_y(y), neutral);
  }

  void write_plot(const Block& block, const Plot& plot, const AxisRange& y) {
    std::string& script = text_.script;
    const auto x = x_range(plot, draw_seeds_);
    script += fmt::format("set title {} noenhanced font ',13' textcolor rgb '{}' offset 0,{}\n",
                          in_quotes(shortened(plot.title, layout_.plot_width(block) + 36)), neutral,
                          plot.note.empty() ? "-0.3" : "0.7");
    if (!plot.note.empty())
      script += fmt::format(
          "set label {} at graph 0.5,graph 1 center offset 0,0.6 noenhanced font ',11' textcolor rgb '{}'\n",
          in_quotes(plot.note), neutral);
    script += plot.categories.empty()
                  ? fmt::format("set xlabel {} noenhanced textcolor rgb '{}' offset 0,0.6\n",
                                in_quotes(shortened(plot.x_label, layout_.plot_width(block) + 40)), neutral)
                  : "unset xlabel\n";
    script += fmt::format("set xrange [{:.8g}:{:.8g}]\nset yrange [{:.8g}:{:.8g}]\n", x.low, x.high, y.low, y.high);
    script += plot.log_x ? "set logscale x\n" : "unset logscale x\n";
    write_ticks(block, plot, x);
    std::vector<std::string> behind, lines, front;
    const auto dashed = [&](double x1, double y1, double x2, double y2) {
      const auto data =
          add_data("a line to compare with", fmt::format("{:.8g} {:.8g}\n{:.8g} {:.8g}\n", x1, y1, x2, y2));
      behind.push_back(fmt::format("{} using 1:2 with lines dt 2 lw 1 lc rgb '{}'", data, neutral));
    };
    for (const double mark : plot.marks)
      behind.push_back(
          fmt::format("{} using 1:2 with lines lw 0.6 lc rgb '#80737880'",
                      add_data("a mark", fmt::format("{0:.8g} {1:.8g}\n{0:.8g} {2:.8g}\n", mark, y.low, y.high))));
    if (plot.reference) dashed(x.low, *plot.reference, x.high, *plot.reference);
    if (plot.reference_x) dashed(*plot.reference_x, y.low, *plot.reference_x, y.high);
    const auto joined = static_cast<double>(std::count_if(
        plot.series.begin(), plot.series.end(), [](const auto& s) { return s.form == PlotSeries::Form::line; }));
    double place = 0;
    for (const auto& series : plot.series) {
      // Lines with the same x are shifted a little, so that their error bars do not overlap.
      double shift = 0;
      if (series.form == PlotSeries::Form::line && !plot.log_x) {
        const double step = plot.categories.empty() ? 0.012 * (x.high - x.low) : 0.14;
        const double most = plot.categories.empty() ? 0.05 * (x.high - x.low) : 0.3;
        const double centre = (joined - 1) / 2;
        // If every line has its own category, no two lines have the same x.
        if (joined > 1 && !one_x_each(plot)) shift = (place - centre) * std::min(step, most / std::max(centre, 0.5));
        ++place;
      }
      write_series(plot, series, x, shift, behind, lines, front);
    }
    std::vector<std::string> all;
    for (const auto* part : {&behind, &lines, &front}) all.insert(all.end(), part->begin(), part->end());
    script += fmt::format("plot {}\n", fmt::join(all, ", \\\n     "));
  }

  static bool one_x_each(const Plot& plot) {
    return !plot.categories.empty() && std::all_of(plot.series.begin(), plot.series.end(), [](const auto& series) {
      return series.means.size() == 1 && series.means.front().size() == 1;
    });
  }

  void write_ticks(const Block& block, const Plot& plot, const AxisRange& x) {
    std::vector<std::string> ticks;
    for (std::size_t i = 0; i < plot.categories.size(); ++i)
      ticks.push_back(fmt::format("{} {}", in_quotes(plot.categories[i]), i + 1));
    if (plot.categories.empty() && plot.ticks.size() <= 12) {
      double wanted = 0;
      for (const double tick : plot.ticks) wanted += pixels_of(fmt::format("{} ", tick));
      // If there is not enough room for all labels, only every second, third, ... tick has one.
      const auto every = static_cast<std::size_t>(std::ceil(wanted / layout_.plot_width(block)));
      for (std::size_t i = 0; i < plot.ticks.size(); ++i)
        ticks.push_back(fmt::format("'{}' {}",
                                    i % std::max<std::size_t>(every, 1) == 0 ? fmt::format("{}", plot.ticks[i]) : "",
                                    plot.ticks[i]));
    }
    const double step = x.step(layout_.plot_width(block));
    const bool whole = std::any_of(plot.series.begin(), plot.series.end(),
                                   [](const PlotSeries& series) { return series.form == PlotSeries::Form::curve; });
    if (ticks.empty())
      text_.script += plot.log_x
                          ? "set xtics autofreq norotate noenhanced\n"
                          : fmt::format("set xtics {:.8g} norotate noenhanced\n", whole ? std::max(1.0, step) : step);
    else
      text_.script +=
          fmt::format("set xtics ({}) {} noenhanced\n", fmt::join(ticks, ", "),
                      !plot.categories.empty() && layout_.slanted(block) ? "rotate by 35 right" : "norotate");
  }

  // Adds a block of data and returns the gnuplot expression that refers to it.
  std::string add_data(const std::string& comment, const std::string& rows) {
    text_.data +=
        fmt::format("{}# {}: {}\n{}", blocks_of_data_ == 0 ? "" : "\n\n", blocks_of_data_, one_line(comment), rows);
    return fmt::format("{} index {}", in_quotes("./" + figure_.name + ".dat"), blocks_of_data_++);
  }

  static std::string row(double x, const PlotPoint& point) {
    const double half = std::isfinite(point.half_width) ? point.half_width : 0;
    return fmt::format("{:.8g} {:.8g} {:.8g} {:.8g} {}\n", x, point.mean, point.mean - half, point.mean + half,
                       point.seeds);
  }

  static std::string shifted(double by) { return by == 0 ? std::string("1") : fmt::format("($1{:+.6g})", by); }

  void write_series(const Plot& plot, const PlotSeries& series, const AxisRange& x, double shift,
                    std::vector<std::string>& behind, std::vector<std::string>& lines,
                    std::vector<std::string>& front) {
    using Form = PlotSeries::Form;
    const auto name = fmt::format("{}, {}", plot.title, series.label);
    const auto translucent = "#90" + series.colour.substr(1);
    const auto at = shifted(shift);
    if (draw_seeds_ && !series.seeds.empty()) {
      std::string rows;
      for (const auto& [seed_x, seed_y] : series.seeds) rows += fmt::format("{:.8g} {:.8g}\n", seed_x, seed_y);
      const double size = series.form == Form::line ? 0.3 : 0.35;
      // Points of single seeds are drawn next to the error bar, which would cover them.
      const double beside = series.form != Form::line || plot.log_x ? 0
                            : plot.categories.empty()               ? 0.01 * (x.high - x.low)
                                                                    : 0.06;
      const int type = series.form == Form::line ? 7 : point_type(series.marker);
      behind.push_back(fmt::format("{} using {}:2 with points pt {} ps {} lc rgb '{}'",
                                   add_data(name + ": x, y of every seed", rows), shifted(shift + beside), type, size,
                                   series.form == Form::trajectory ? std::string("#A0737880") : translucent));
    }
    std::string rows, ends;
    for (const auto& segment : series.means) {
      // An empty line keeps gnuplot from joining points of different categories.
      for (const auto& point : segment) rows += row(point.x, point) + (plot.categories.empty() ? "" : "\n");
      if (series.means.size() > 1) rows += "\n", ends += row(segment.back().x, segment.back());
    }
    const auto columns = ": x, mean, low, high, seeds";
    switch (series.form) {
      case Form::line: {
        const auto data = add_data(name + columns, rows);
        front.push_back(fmt::format("{} using {}:2:3:4 with yerrorlines pt {} ps 0.7 lw 1.6 lc rgb '{}'", data, at,
                                    point_type(series.marker), series.colour));
        break;
      }
      case Form::curve: {
        const auto data = add_data(name + columns, rows);
        if (series.shows_intervals())
          behind.push_back(fmt::format("{} using 1:3:4 with filledcurves fs transparent solid 0.2 noborder lc rgb '{}'",
                                       data, series.colour));
        lines.push_back(
            fmt::format("{} using 1:2 with lines lw {} lc rgb '{}'", data, series.thickness, series.colour));
        if (!ends.empty())
          front.push_back(fmt::format("{} using 1:2 with points pt {} ps 0.7 lc rgb '{}'",
                                      add_data(name + ", ends of segments" + columns, ends), point_type(series.marker),
                                      series.colour));
        break;
      }
      case Form::level: {
        const auto& point = series.means.front().front();
        const auto data = add_data(name + columns, row(x.low, point) + row(x.high, point));
        if (point.half_width > 0)
          behind.push_back(fmt::format(
              "{} using 1:3:4 with filledcurves fs transparent solid 0.15 noborder lc rgb '{}'", data, series.colour));
        lines.push_back(fmt::format("{} using 1:2 with lines lw 1.8 dt 2 lc rgb '{}'", data, series.colour));
        break;
      }
      case Form::points:
        front.push_back(fmt::format("{} using 1:2 with points pt {} ps 1.5 lc rgb '{}'",
                                    add_data(name + " : x, y of the mean", rows), point_type(series.marker),
                                    series.colour));
        break;
      case Form::trajectory: {
        std::string coloured;
        const auto& points = series.means.front();
        for (const auto& point : points)
          coloured +=
              fmt::format("{:.8g} {:.8g} {}\n", point.x, point.mean, std::stoul(point.colour.substr(1), nullptr, 16));
        const auto data = add_data(name + ": x, y, colour of every edit", coloured);
        lines.push_back(fmt::format("{} using 1:2 with lines lw 0.8 lc rgb '#80737880'", data));
        front.push_back(
            fmt::format("{} using 1:2:3 with points pt {} ps 1 lc rgb variable", data, point_type(series.marker)));
        break;
      }
    }
  }

  const Figure& figure_;
  FigureLayout layout_;
  FigureText text_;
  bool draw_seeds_ = true;
  std::size_t blocks_of_data_ = 0;
};

}  // namespace

FigureText figure_text(const Figure& figure) { return ScriptWriter(figure).write(); }

}  // namespace cambium
