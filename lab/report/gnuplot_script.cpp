// Figures as scripts and data for gnuplot: layout in pixels, one block of plots below the other, each with its key
// above it, so that no key covers data.

#include <algorithm>
#include <cmath>

#include "lab/report/figure.hpp"
#include "lab/report/words.hpp"
#include "sycl/error.hpp"

namespace cambium {
namespace {

constexpr auto neutral = "#737880";  // text and axes; tidy_svg makes it the colour of the text around
constexpr double letter = 6.7;       // pixels, about, of the font
constexpr std::size_t most_seed_points = 1500;
constexpr int point_types[] = {7, 5, 9, 13, 11, 15};

int point_type(std::size_t marker) { return point_types[marker % std::size(point_types)]; }

// Letters of UTF-8 text.
std::size_t length_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Text in single quotes, in which gnuplot runs no commands.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return result + "'";
}

// Lines of at most so many letters; what is compared stays together.
std::vector<std::string> wrapped(std::string text, std::size_t letters) {
  for (const std::string_view sign : {" / ", " − "})
    for (auto at = text.find(sign); at != std::string::npos; at = text.find(sign, at + 1))
      text.replace(at, sign.size(), "\u00a0" + std::string(sign.substr(1, sign.size() - 2)) + "\u00a0");
  std::vector<std::string> lines{""};
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find(' ', begin), text.size());
    const auto word = text.substr(begin, end - begin);
    if (!lines.back().empty() && length_of(lines.back()) + 1 + length_of(word) > letters) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines;
}

std::string csv_field(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  return text.find_first_of(",\n") == std::string::npos ? text : "\"" + text + "\"";
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void take(const Range& other) {
    take(other.low);
    take(other.high);
  }
  Range widened(double share) const {
    if (!(low <= high)) return {0, 1};
    const double more = high > low ? share * (high - low) : std::max(std::abs(high) * 0.1, 0.5);
    return {low - more, high + more};
  }
};

// Plots that stand together, under one key.
struct Block {
  std::string title;
  bool same_scale = false;
  std::vector<const Plot*> plots;
  std::vector<LegendEntry> legend;
};

std::vector<Block> blocks_of(const Figure& figure) {
  std::vector<Block> blocks;
  bool single_before = false;
  for (const auto& group : figure.groups) {
    const bool single = group.title.empty() && group.plots.size() == 1;
    bool join = single && single_before;
    if (join)
      for (const auto& entry : group.legend)
        for (const auto& other : blocks.back().legend) join = join && (entry.label != other.label || entry == other);
    single_before = single;
    if (!join) blocks.push_back({group.title, group.same_scale && !single, {}, {}});
    for (const auto& plot : group.plots) blocks.back().plots.push_back(&plot);
    for (const auto& entry : group.legend)
      if (auto& all = blocks.back().legend; std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(entry);
  }
  // One key serves all blocks that follow each other and have the same.
  for (std::size_t i = blocks.size(); i-- > 1;)
    if (blocks[i].legend == blocks[i - 1].legend) blocks[i].legend.clear();
  return blocks;
}

class ScriptWriter {
 public:
  explicit ScriptWriter(const Figure& figure) : figure_(figure), blocks_(blocks_of(figure)) {
    std::size_t seeds = 0;
    for (const auto& block : blocks_)
      for (const auto* plot : block.plots)
        for (const auto& series : plot->series) seeds += series.seeds.size();
    draw_seeds_ = seeds <= most_seed_points;
    if (!draw_seeds_) text_.points_left_out = seeds;
  }

  FigureText write() {
    text_.width = 960;
    if (blocks_.size() == 1 && blocks_.front().plots.size() == 1) text_.width = 600;
    if (blocks_.size() == 1 && blocks_.front().plots.size() == 2) text_.width = 840;
    text_.table = "panel,line,x,mean,half_width,seeds\n";
    double height = 6;
    for (const auto& block : blocks_) height += height_of(block);
    text_.height = static_cast<int>(std::ceil(height));
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
    for (const auto& block : blocks_) {
      write_block(block, top);
      top += height_of(block);
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

  std::size_t columns(const Block& block) const {
    const std::size_t count = block.plots.size();
    if (count <= 3) return count;
    if (count == 4) return block.same_scale ? 4 : 2;
    return count <= 6 || count == 9 ? 3 : 4;
  }
  double plot_height(const Block& block) const { return columns(block) <= 2 ? 230 : columns(block) == 3 ? 200 : 180; }
  // Plots of a group measure the same: only the first of a row says what.
  bool labelled(const Block& block, std::size_t column) const { return column == 0 || block.title.empty(); }
  double left_of(const Block& block, std::size_t column) const {
    double left = labelled(block, column) ? label_margin : tick_margin;
    for (std::size_t i = 0; i < column; ++i)
      left += (labelled(block, i) ? label_margin : tick_margin) + plot_width(block) + right_margin;
    return left;
  }
  double plot_width(const Block& block) const {
    double margins = 0;
    const auto count = columns(block);
    for (std::size_t i = 0; i < count; ++i) margins += (labelled(block, i) ? label_margin : tick_margin) + right_margin;
    return std::min((text_.width - margins) / static_cast<double>(count), 500.0);
  }
  std::size_t longest_category(const Block& block) const {
    std::size_t longest = 0;
    for (const auto* plot : block.plots)
      for (const auto& name : plot->categories) longest = std::max(longest, length_of(name));
    return longest;
  }
  bool slanted(const Block& block) const {
    std::size_t count = 1;
    for (const auto* plot : block.plots) count = std::max(count, plot->categories.size());
    const double room = plot_width(block) / static_cast<double>(count);
    return static_cast<double>(longest_category(block)) * letter > room;
  }
  double bottom_margin(const Block& block) const {
    return slanted(block) ? 18 + 0.6 * letter * static_cast<double>(longest_category(block)) : 50;
  }
  static constexpr double label_margin = 84, tick_margin = 46, right_margin = 14, title_height = 28, key_row = 20;
  double top_margin(const Block& block) const {
    bool notes = false;
    for (const auto* plot : block.plots) notes = notes || !plot->note.empty();
    return notes ? 46 : 30;
  }
  double row_height(const Block& block) const { return top_margin(block) + plot_height(block) + bottom_margin(block); }

  // Where entries of the key stand: pixels from the left, and the row.
  std::vector<std::pair<double, int>> key_places(const Block& block) const {
    std::vector<std::pair<double, int>> places;
    double x = label_margin;
    int row = 0;
    for (const auto& entry : block.legend) {
      const double width = 34 + letter * static_cast<double>(length_of(entry.label)) + 20;
      if (x > label_margin && x + width > text_.width) x = label_margin, ++row;
      places.emplace_back(x, row);
      x += width;
    }
    return places;
  }
  double key_height(const Block& block) const {
    const auto places = key_places(block);
    return places.empty() ? 0 : key_row * (places.back().second + 1) + 4;
  }
  double height_of(const Block& block) const {
    const auto rows = (block.plots.size() + columns(block) - 1) / columns(block);
    return (block.title.empty() ? 6 : title_height) + key_height(block) + static_cast<double>(rows) * row_height(block);
  }

  double screen_x(double pixels) const { return pixels / text_.width; }
  double screen_y(double pixels) const { return 1 - pixels / text_.height; }

  void write_block(const Block& block, double top) {
    std::string& script = text_.script;
    if (!block.title.empty()) {
      script += fmt::format("set label {} at screen {:.5f},{:.5f} left noenhanced font ',14' textcolor rgb '{}'\n",
                            in_quotes(block.title), screen_x(10), screen_y(top + 16), neutral);
      top += title_height;
    } else {
      top += 6;
    }
    const auto places = key_places(block);
    for (std::size_t i = 0; i < places.size(); ++i)
      write_key(block.legend[i], places[i].first, top + 8 + key_row * places[i].second);
    top += key_height(block);

    Range shared;
    for (const auto* plot : block.plots) shared.take(y_range(*plot));
    for (std::size_t i = 0; i < block.plots.size(); ++i) {
      const auto column = i % columns(block), row = i / columns(block);
      const double left = left_of(block, column);
      const double upper = top + static_cast<double>(row) * row_height(block);
      const auto range = (block.same_scale ? shared : y_range(*block.plots[i])).widened(0.06);
      script += fmt::format(
          "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\nset tmargin at screen {:.5f}\nset bmargin at "
          "screen {:.5f}\n",
          screen_x(left), screen_x(left + plot_width(block)), screen_y(upper + top_margin(block)),
          screen_y(upper + top_margin(block) + plot_height(block)));
      if (labelled(block, column)) {
        const auto lines = wrapped(block.plots[i]->y_label, static_cast<std::size_t>(plot_height(block) / letter) + 2);
        for (std::size_t line = 0; line < lines.size(); ++line)
          script += fmt::format(
              "set label {} at screen {:.5f},{:.5f} center rotate by 90 noenhanced textcolor rgb '{}'\n",
              in_quotes(lines[line]), screen_x(left - 58 - 15 * static_cast<double>(lines.size() - 1 - line)),
              screen_y(upper + top_margin(block) + plot_height(block) / 2), neutral);
      }
      write_plot(block, *block.plots[i], range);
      script += "unset label\nunset arrow\n";
    }
  }

  void write_key(const LegendEntry& entry, double x, double y) {
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

  // All means and seeds. Intervals, too, but of two or three seeds they may be wider by far than all that they are
  // about: such are cut at the edge.
  Range y_range(const Plot& plot) const {
    Range values, intervals;
    if (plot.reference) values.take(*plot.reference);
    if (plot.from_zero) values.take(0);
    for (const auto& series : plot.series) {
      for (const auto& segment : series.means)
        for (const auto& point : segment) {
          values.take(point.mean);
          intervals.take(point.mean - point.half_width);
          intervals.take(point.mean + point.half_width);
        }
      if (draw_seeds_)
        for (const auto& [x, y] : series.seeds) values.take(y);
    }
    const double most = values.high > values.low ? 0.5 * (values.high - values.low) : INFINITY;
    Range range = values;
    range.take(std::max(intervals.low, values.low - most));
    range.take(std::min(intervals.high, values.high + most));
    return range;
  }

  Range x_range(const Plot& plot) const {
    if (!plot.categories.empty()) return {0.5, static_cast<double>(plot.categories.size()) + 0.5};
    Range range;
    if (plot.reference_x) range.take(*plot.reference_x);
    bool curves = false;
    for (const auto& series : plot.series) {
      if (series.form == PlotSeries::Form::level) continue;
      curves = curves || series.form == PlotSeries::Form::curve;
      for (const auto& segment : series.means)
        for (const auto& point : segment) range.take(point.x);
      if (draw_seeds_)
        for (const auto& [x, y] : series.seeds) range.take(x);
    }
    if (!plot.log_x) return range.widened(curves ? 0.02 : 0.07);
    return {range.low / 1.6, range.high * 1.6};
  }

  void write_plot(const Block& block, const Plot& plot, const Range& y) {
    std::string& script = text_.script;
    const auto x = x_range(plot);
    script += fmt::format("set title {} noenhanced font ',13' textcolor rgb '{}' offset 0,{}\n", in_quotes(plot.title),
                          neutral, plot.note.empty() ? "-0.3" : "0.7");
    if (!plot.note.empty())
      script += fmt::format(
          "set label {} at graph 0.5,graph 1 center offset 0,0.6 noenhanced font ',11' textcolor rgb '{}'\n",
          in_quotes(plot.note), neutral);
    script += plot.categories.empty() ? fmt::format("set xlabel {} noenhanced textcolor rgb '{}' offset 0,0.6\n",
                                                    in_quotes(plot.x_label), neutral)
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
      // Lines that share their x stand a little beside each other, so that bars can be told apart.
      double shift = 0;
      if (series.form == PlotSeries::Form::line && !plot.log_x) {
        const double step = plot.categories.empty() ? 0.012 * (x.high - x.low) : 0.14;
        const double most = plot.categories.empty() ? 0.05 * (x.high - x.low) : 0.3;
        const double centre = (joined - 1) / 2;
        // Where x is what tells the lines apart, they do not share any.
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

  // A round step that leaves room for the numbers.
  static double step_for(const Range& range, double pixels) {
    const double least = (range.high - range.low) / std::max(1.0, pixels / 45);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
      if (factor * power >= least) return factor * power;
    return 10 * power;
  }

  void write_ticks(const Block& block, const Plot& plot, const Range& x) {
    std::vector<std::string> ticks;
    for (std::size_t i = 0; i < plot.categories.size(); ++i)
      ticks.push_back(fmt::format("{} {}", in_quotes(plot.categories[i]), i + 1));
    if (plot.categories.empty() && plot.ticks.size() <= 12) {
      std::size_t letters = 0;
      for (const double tick : plot.ticks) letters += fmt::format("{}", tick).size() + 1;
      // Where there is no room for all numbers, every second or third has one.
      const auto every = static_cast<std::size_t>(std::ceil(static_cast<double>(letters) * letter / plot_width(block)));
      for (std::size_t i = 0; i < plot.ticks.size(); ++i)
        ticks.push_back(fmt::format("'{}' {}",
                                    i % std::max<std::size_t>(every, 1) == 0 ? fmt::format("{}", plot.ticks[i]) : "",
                                    plot.ticks[i]));
    }
    if (ticks.empty())
      text_.script += plot.log_x
                          ? "set xtics autofreq norotate noenhanced\n"
                          : fmt::format("set xtics {:.8g} norotate noenhanced\n", step_for(x, plot_width(block)));
    else
      text_.script += fmt::format("set xtics ({}) {} noenhanced\n", fmt::join(ticks, ", "),
                                  !plot.categories.empty() && slanted(block) ? "rotate by 35 right" : "norotate");
  }

  // Adds a block of data and says how gnuplot finds it.
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

  void write_series(const Plot& plot, const PlotSeries& series, const Range& x, double shift,
                    std::vector<std::string>& behind, std::vector<std::string>& lines,
                    std::vector<std::string>& front) {
    using Form = PlotSeries::Form;
    const auto name = fmt::format("{}, {}", plot.title, series.label);
    const auto see_through = "#90" + series.colour.substr(1);
    const auto at = shifted(shift);
    for (const auto& segment : series.means)
      for (const auto& point : segment)
        text_.table += fmt::format("{},{},{},{},{},{}\n", csv_field(plot.title), csv_field(series.label),
                                   series.form == Form::level ? "" : x_text(plot, point.x), number(point.mean),
                                   number(point.half_width), point.seeds);
    if (draw_seeds_ && !series.seeds.empty()) {
      std::string rows;
      for (const auto& [seed_x, seed_y] : series.seeds) rows += fmt::format("{:.8g} {:.8g}\n", seed_x, seed_y);
      const double size = series.form == Form::line ? 0.3 : 0.35;
      // Beside the bar, which would cover them.
      const double beside = series.form != Form::line || plot.log_x ? 0
                            : plot.categories.empty()               ? 0.01 * (x.high - x.low)
                                                                    : 0.06;
      const int type = series.form == Form::line ? 7 : point_type(series.marker);
      behind.push_back(fmt::format("{} using {}:2 with points pt {} ps {} lc rgb '{}'",
                                   add_data(name + ": x, y of every seed", rows), shifted(shift + beside), type, size,
                                   series.form == Form::trajectory ? std::string("#A0737880") : see_through));
    }
    std::string rows, ends;
    for (const auto& segment : series.means) {
      // By themselves, points of different categories are not joined.
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

  static std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.8g}", value) : ""; }
  static std::string x_text(const Plot& plot, double x) {
    return plot.categories.empty() ? fmt::format("{:.8g}", x)
                                   : csv_field(plot.categories.at(static_cast<std::size_t>(x) - 1));
  }

  const Figure& figure_;
  std::vector<Block> blocks_;
  FigureText text_;
  bool draw_seeds_ = true;
  std::size_t blocks_of_data_ = 0;
};

}  // namespace

FigureText figure_text(const Figure& figure) { return ScriptWriter(figure).write(); }

}  // namespace cambium
