#include "lab/report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/report/plot_labels.hpp"
#include "lab/report/plot_series.hpp"
#include "lab/report/series_style.hpp"
#include "lab/results/labels.hpp"
#include "lab/results/statistics.hpp"

namespace cambium {
namespace {

constexpr double log_scale_ratio = 30;  // an axis whose values span more than this is logarithmic

bool passes(const ShownCell& cell, const CellFilter& filter) {
  return std::all_of(filter.begin(), filter.end(), [&](const auto& entry) {
    const auto value = cell.value(entry.first);
    return value && std::find(entry.second.begin(), entry.second.end(), *value) != entry.second.end();
  });
}

class GroupMaker {
 public:
  GroupMaker(const Panel& panel, std::span<const ShownCell> cells, CellTables& tables, const std::string& selected_key)
      : panel_(panel), series_(panel, cells_, tables, selected_key) {
    for (const auto& cell : cells) {
      const bool subtracted = !panel.minus.empty() && passes(cell, panel.minus);
      if (subtracted) series_.subtract(cell);
      if (!subtracted && passes(cell, panel.where)) cells_.push_back(&cell);
    }
    find_lines();
  }

  PlotGroup make() {
    PlotGroup group{.same_scale = panel_.panels != "stream"};
    if (panel_.panels.empty()) {
      group.plots.push_back(plot(cells_, panel_.title));
    } else {
      group.title = panel_.title;
      for (const auto& value : distinct_values(cells_, panel_.panels)) {
        Cells own;
        for (const auto* cell : cells_)
          if (cell->value(panel_.panels).value_or(value) == value) own.push_back(cell);
        group.plots.push_back(plot(own, key_value_label(panel_.panels, value)));
      }
    }
    std::erase_if(group.plots, [](const Plot& plot) { return plot.empty(); });
    group.legend = legend(group);
    return group;
  }

 private:
  void find_lines() {
    if (panel_.lines == "quantity") {
      for (const auto& name : panel_.y) lines_.push_back({"quantity", name});
      return;
    }
    for (const auto& value : distinct_values(cells_, panel_.lines)) lines_.push_back({panel_.lines, value});
    ordered_ = all_numbers(distinct_values(cells_, panel_.lines));
    for (const auto* cell : cells_)
      if (!cell->value(panel_.lines))
        if (const PlotLine line{"variant", *cell->value("variant")}; !std::count(lines_.begin(), lines_.end(), line))
          lines_.push_back(line);
  }

  Cells cells_of(const PlotLine& line, const Cells& cells) const {
    if (line.key == "quantity") return cells;
    Cells own;
    for (const auto* cell : cells) {
      const auto value = cell->value(panel_.lines);
      const PlotLine its = value ? PlotLine{panel_.lines, *value} : PlotLine{"variant", *cell->value("variant")};
      if (its == line) own.push_back(cell);
    }
    return own;
  }

  Plot plot(const Cells& cells, const std::string& title) {
    Plot plot{.title = title, .reference = panel_.reference, .reference_x = panel_.reference_x};
    plot.y_label = y_axis_label(panel_, cells_);
    plot.x_label = x_axis_label(panel_, cells);
    std::vector<std::string> x_values;
    if (panel_.kind == Panel::Kind::over_key) {
      x_values = distinct_values(cells, panel_.x);
      if (!all_numbers(x_values)) {
        for (const auto& value : x_values) plot.categories.push_back(value_label(panel_.x, value));
      } else {
        for (const auto& value : x_values) plot.ticks.push_back(x_position(panel_.x, value, x_values));
        plot.log_x = plot.ticks.front() > 0 && plot.ticks.back() / plot.ticks.front() >= log_scale_ratio;
      }
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto& line = lines_[i];
      const auto own = cells_of(line, cells);
      if (own.empty()) continue;
      const PlotSeries style{.label = line.label(),
                             .colour = colour_for(line.key, line.text, i, lines_.size(), ordered_),
                             .marker = marker_for(line.key, line.text, i)};
      series_.add(plot, style, line.key == "quantity" ? line.text : panel_.y.front(), own, x_values);
    }
    if (panel_.spearman) add_spearman(plot, cells);
    return plot;
  }

  // Rank correlation over the means of the cells.
  void add_spearman(Plot& plot, const Cells& cells) const {
    std::vector<double> xs, ys;
    for (const auto* cell : cells) {
      if (!cell->result->has(panel_.x) || !cell->result->has(panel_.y.front())) continue;
      const double x = cell->result->estimate_of(panel_.x).mean, y = cell->result->estimate_of(panel_.y.front()).mean;
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      xs.push_back(x);
      ys.push_back(y);
    }
    if (const double rho = spearman(xs, ys); std::isfinite(rho))
      plot.note = fmt::format("Spearman {:.2f} over {} cells", rho, xs.size());
  }

  // Empty if the categories of the x axis already name every series.
  std::vector<LegendEntry> legend(const PlotGroup& group) const {
    std::vector<LegendEntry> entries;
    const auto named_by_axis = [](const Plot& plot) {
      return std::all_of(plot.series.begin(), plot.series.end(), [&](const PlotSeries& series) {
        return std::count(plot.categories.begin(), plot.categories.end(), series.label) > 0;
      });
    };
    if (std::all_of(group.plots.begin(), group.plots.end(), named_by_axis)) return entries;
    std::set<std::string> labels;
    bool trajectories = false;
    for (const auto& plot : group.plots)
      for (const auto& series : plot.series) {
        const bool trajectory = series.form == PlotSeries::Form::trajectory;
        trajectories = trajectories || trajectory;
        if (labels.insert(series.label).second)
          entries.push_back({series.label, trajectory ? "" : series.colour, series.marker, series.form});
      }
    if (trajectories)
      for (auto [edit, last] = series_.edits(); edit <= last; ++edit)
        entries.push_back({fmt::format("edit {}", edit), series_.colour_of_edit(edit), 0, PlotSeries::Form::points});
    return entries;
  }

  const Panel& panel_;
  Cells cells_;
  SeriesMaker series_;
  std::vector<PlotLine> lines_;
  bool ordered_ = false;
};

}  // namespace

bool PlotSeries::shows_intervals() const {
  if (form != Form::curve) return true;
  for (const auto& segment : means)
    for (const auto& point : segment)
      if (point.seeds > 2) return true;
  return false;
}

bool Plot::empty() const { return series.empty(); }

PlotGroup make_plots(const Panel& panel, std::span<const ShownCell> cells, CellTables& tables,
                     const std::string& selected_key) {
  return GroupMaker(panel, cells, tables, selected_key).make();
}

}  // namespace cambium
