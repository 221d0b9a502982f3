#include "lab/report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/config/config.hpp"
#include "lab/report/plot_labels.hpp"
#include "lab/results/labels.hpp"
#include "lab/results/statistics.hpp"

namespace cambium {
namespace {

// The values of one point, seed by seed; of a seed with several, their mean.
class SeedValues {
 public:
  void add(std::uint32_t seed, double value) {
    if (!std::isfinite(value)) return;
    sums_[seed].first += value;
    ++sums_[seed].second;
  }
  void add(const ShownCell& cell, const std::vector<double>& values, double factor) {
    for (std::size_t i = 0; i < values.size(); ++i) add(cell.result->seeds[i], factor * values[i]);
  }

  bool empty() const { return sums_.empty(); }
  std::vector<double> values() const {
    std::vector<double> all;
    for (const auto& [seed, sum] : sums_) all.push_back(sum.first / sum.second);
    return all;
  }
  PlotPoint point(double x) const {
    const auto all = estimate(values());
    return {x, all.mean, all.half_width, all.count};
  }

 private:
  std::map<std::uint32_t, std::pair<double, int>> sums_;
};

bool passes(const ShownCell& cell, const CellFilter& filter) {
  return std::all_of(filter.begin(), filter.end(), [&](const auto& entry) {
    const auto value = cell.value(entry.first);
    return value && std::find(entry.second.begin(), entry.second.end(), *value) != entry.second.end();
  });
}

// What tells a line from the others: the value of a key, or the name of what is measured.
struct Line {
  std::string key, text;
  auto operator<=>(const Line&) const = default;

  std::string label() const {
    if (key == "quantity") {
      for (const auto* all : {&measures_shown(), &quantities_shown(), &epoch_columns_shown()})
        if (const auto* shown = find_shown(*all, text)) return shown->words;
    }
    return words_for_pair(key, text);
  }
};

class GroupMaker {
 public:
  GroupMaker(const Panel& panel, std::span<const ShownCell> cells, CellTables& tables, std::string selected_key)
      : panel_(panel), tables_(tables), selected_key_(std::move(selected_key)) {
    for (const auto& cell : cells) {
      const bool subtracted = !panel.minus.empty() && passes(cell, panel.minus);
      if (subtracted) partners_.emplace(apart_from_minus(cell), &cell);
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
        group.plots.push_back(plot(own, words_for_pair(panel_.panels, value)));
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
        if (const Line line{"variant", *cell->value("variant")}; !std::count(lines_.begin(), lines_.end(), line))
          lines_.push_back(line);
  }

  Cells cells_of(const Line& line, const Cells& cells) const {
    if (line.key == "quantity") return cells;
    Cells own;
    for (const auto* cell : cells) {
      const auto value = cell->value(panel_.lines);
      const Line its = value ? Line{panel_.lines, *value} : Line{"variant", *cell->value("variant")};
      if (its == line) own.push_back(cell);
    }
    return own;
  }
  const std::string& y_of(const Line& line) const { return line.key == "quantity" ? line.text : panel_.y.front(); }

  PlotSeries series_for(std::size_t place, PlotSeries::Form form) const {
    const auto& line = lines_[place];
    return {.label = line.label(),
            .colour = colour_for(line.key, line.text, place, lines_.size(), ordered_),
            .marker = marker_for(line.key, line.text, place),
            .form = form};
  }

  Plot plot(const Cells& cells, const std::string& title) {
    Plot plot{.title = title, .reference = panel_.reference, .reference_x = panel_.reference_x};
    plot.y_label = y_axis_label(panel_, cells_);
    plot.x_label = x_axis_label(panel_, cells);
    if (panel_.kind == Panel::Kind::over_key) {
      const auto values = distinct_values(cells, panel_.x);
      if (!all_numbers(values)) {
        for (const auto& value : values) plot.categories.push_back(words_for_value(panel_.x, value));
      } else {
        for (const auto& value : values) plot.ticks.push_back(place_of(value, values));
        plot.log_x = plot.ticks.front() > 0 && plot.ticks.back() / plot.ticks.front() >= 30;
      }
      x_values_ = values;
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const auto own = cells_of(lines_[i], cells);
      if (own.empty()) continue;
      switch (panel_.kind) {
        case Panel::Kind::over_key:
          over_key(plot, i, own);
          break;
        case Panel::Kind::over_events:
          over_events(plot, i, own);
          break;
        case Panel::Kind::over_ages:
          over_ages(plot, i, own);
          break;
        case Panel::Kind::over_epochs:
          over_epochs(plot, i, own);
          break;
        case Panel::Kind::cells:
          scatter_cells(plot, i, own);
          break;
        case Panel::Kind::events:
          scatter_events(plot, i, own);
          break;
      }
    }
    if (panel_.spearman) add_spearman(plot, cells);
    return plot;
  }

  // Where a value of a key stands on the x axis.
  double place_of(const std::string& value, const std::vector<std::string>& values) const {
    if (!all_numbers(values))
      return static_cast<double>(std::find(values.begin(), values.end(), value) - values.begin()) + 1;
    const double number = number_of(value);
    return panel_.x == "compactness" ? std::round(number * 1e6) / 1e4 : number;
  }

  // A measure of a cell per seed, as it is shown; less that of its partner, if differences are asked for.
  std::vector<double> measure(const ShownCell& cell, const std::string& name) const {
    std::vector<double> values(cell.result->seeds.size(), NAN);
    if (!cell.result->has(name)) return values;
    values = cell.result->of(name);
    if (!panel_.minus.empty()) {
      const auto found = partners_.find(apart_from_minus(cell));
      const auto* other = found == partners_.end() ? nullptr : found->second;
      for (std::size_t i = 0; i < values.size(); ++i) {
        double less = NAN;
        if (other != nullptr && other->result->has(name))
          for (std::size_t k = 0; k < other->result->seeds.size(); ++k)
            if (other->result->seeds[k] == cell.result->seeds[i]) less = other->result->of(name)[k];
        values[i] -= less;
      }
    }
    return values;
  }

  // What the file gives a cell, but for what is subtracted and what was selected for each.
  ConfigText apart_from_minus(const ShownCell& cell) const {
    ConfigText keys = cell.cell->keys;
    for (const auto& [key, values] : panel_.minus) keys.erase(key);
    keys.erase(selected_key_);
    return keys;
  }

  void add_points(PlotSeries& series, double x, const SeedValues& values) const {
    if (values.empty()) return;
    if (series.means.empty()) series.means.emplace_back();
    series.means.back().push_back(values.point(x));
    if (series.form != PlotSeries::Form::curve)
      for (const double value : values.values()) series.seeds.emplace_back(x, value);
  }

  void over_key(Plot& plot, std::size_t line, const Cells& cells) {
    const auto& name = y_of(lines_[line]);
    const double factor = find_shown(measures_shown(), name)->factor;
    std::map<std::string, SeedValues> at;
    SeedValues everywhere;
    for (const auto* cell : cells) {
      const auto x = cell->value(panel_.x);
      (x ? at[*x] : everywhere).add(*cell, measure(*cell, name), factor);
    }
    auto series = series_for(line, PlotSeries::Form::line);
    for (const auto& value : x_values_)
      if (const auto found = at.find(value); found != at.end())
        add_points(series, place_of(value, x_values_), found->second);
    if (!series.means.empty()) plot.series.push_back(series);
    if (everywhere.empty()) return;
    auto level = series_for(line, PlotSeries::Form::level);
    level.means = {{everywhere.point(0)}};
    plot.series.push_back(level);
  }

  // The values of a quantity around an event: at the moment asked for, or at the one that it is about.
  std::vector<double> of_event(const ParityTable& table, const ShownCell& cell, const std::string& quantity,
                               std::int32_t event) const {
    if (panel_.at) return table.values(quantity, *panel_.at, event);
    if (quantity.starts_with("early_") || quantity.starts_with("segment_")) return table.last(quantity, event);
    if (quantity.starts_with("mask_")) return table.values(quantity, TimePoint::post_mask, event);
    const bool at_exit =
        cell.cell->config.method == Method::prune && (quantity.ends_with("_ratio") || quantity.ends_with("_parity") ||
                                                      quantity.starts_with("kept_") || quantity.starts_with("pruned_"));
    return table.values(quantity, at_exit ? TimePoint::exit : TimePoint::post, event);
  }

  void over_events(Plot& plot, std::size_t line, const Cells& cells) {
    std::map<std::int32_t, SeedValues> at;
    for (const auto* cell : cells)
      if (const auto* table = tables_.parities(*cell))
        for (const auto event : table->events())
          at[event].add(*cell, of_event(*table, *cell, y_of(lines_[line]), event), 1);
    auto series = series_for(line, PlotSeries::Form::line);
    for (const auto& [event, values] : at) {
      add_points(series, event, values);
      if (!std::count(plot.ticks.begin(), plot.ticks.end(), event)) plot.ticks.push_back(event);
    }
    if (plot.ticks.size() > 10) plot.ticks.clear();
    if (!series.means.empty()) plot.series.push_back(series);
  }

  void over_ages(Plot& plot, std::size_t line, const Cells& cells) {
    std::map<std::int32_t, SeedValues> at;
    for (const auto* cell : cells)
      if (const auto* table = tables_.parities(*cell))
        for (const auto event : table->events())
          for (std::int32_t age = 0; age <= table->oldest(event); ++age)
            at[age].add(*cell, table->at_age(y_of(lines_[line]), age, event), 1);
    auto series = series_for(line, PlotSeries::Form::curve);
    for (const auto& [age, values] : at) add_points(series, age, values);
    if (!series.means.empty()) plot.series.push_back(series);
  }

  void over_epochs(Plot& plot, std::size_t line, const Cells& cells) {
    const auto& name = y_of(lines_[line]);
    auto series = series_for(line, PlotSeries::Form::curve);
    if (const auto* column = find_shown(epoch_columns_shown(), name)) {
      std::map<std::int32_t, SeedValues> at;
      for (const auto* cell : cells) {
        const auto& curves = tables_.epochs(*cell);
        for (std::int32_t epoch = 1; epoch <= curves.periods(); ++epoch)
          at[epoch].add(*cell, curves.values(name, epoch), column->factor);
      }
      for (const auto& [epoch, values] : at) add_points(series, epoch, values);
    } else {
      // A segment per event: where it stands and how old its cohorts are give the epoch.
      std::map<std::int32_t, std::map<std::int32_t, SeedValues>> at;
      for (const auto* cell : cells)
        if (const auto* table = tables_.parities(*cell))
          for (const auto event : table->events())
            for (std::int32_t age = 0; age <= table->oldest(event); ++age)
              at[event][cell->cell->config.cycle_end(event) + age].add(*cell, table->at_age(name, age, event), 1);
      for (const auto& [event, epochs] : at) {
        series.means.emplace_back();
        for (const auto& [epoch, values] : epochs) add_points(series, epoch, values);
        if (series.means.back().empty()) series.means.pop_back();
      }
    }
    if (!series.means.empty()) plot.series.push_back(series);
  }

  void scatter_cells(Plot& plot, std::size_t line, const Cells& cells) {
    auto series = series_for(line, PlotSeries::Form::points);
    const auto& name = y_of(lines_[line]);
    const double x_factor = find_shown(measures_shown(), panel_.x)->factor;
    const double y_factor = find_shown(measures_shown(), name)->factor;
    std::vector<double> x_means, y_means;
    for (const auto* cell : cells) {
      const auto xs = measure(*cell, panel_.x), ys = measure(*cell, name);
      std::vector<double> x_there, y_there;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        if (!std::isfinite(xs[i]) || !std::isfinite(ys[i])) continue;
        x_there.push_back(x_factor * xs[i]);
        y_there.push_back(y_factor * ys[i]);
        series.seeds.emplace_back(x_there.back(), y_there.back());
      }
      if (x_there.empty()) continue;
      x_means.push_back(estimate(x_there).mean);
      y_means.push_back(estimate(y_there).mean);
    }
    if (x_means.empty()) return;
    series.means = {{{estimate(x_means).mean, estimate(y_means).mean, NAN, x_means.size()}}};
    plot.series.push_back(series);
  }

  // Numbers of the edits that these cells may have.
  std::pair<std::int32_t, std::int32_t> edits() const {
    std::int32_t first = 1, last = 1;
    for (const auto* cell : cells_) {
      first = std::min(first, cell->cell->config.events().first());
      last = std::max(last, cell->cell->config.cycles - 1);
    }
    return {first, last};
  }
  std::string colour_of_event(std::int32_t event) const {
    const auto [first, last] = edits();
    return colour_for("event", "", static_cast<std::size_t>(event - first), static_cast<std::size_t>(last - first + 1),
                      true);
  }

  void scatter_events(Plot& plot, std::size_t line, const Cells& cells) {
    auto series = series_for(line, PlotSeries::Form::trajectory);
    std::map<std::int32_t, std::pair<SeedValues, SeedValues>> at;
    for (const auto* cell : cells)
      if (const auto* table = tables_.parities(*cell))
        for (const auto event : table->events()) {
          const auto xs = of_event(*table, *cell, panel_.x, event),
                     ys = of_event(*table, *cell, y_of(lines_[line]), event);
          for (std::size_t i = 0; i < xs.size(); ++i) {
            if (!std::isfinite(xs[i]) || !std::isfinite(ys[i])) continue;
            at[event].first.add(cell->result->seeds[i], xs[i]);
            at[event].second.add(cell->result->seeds[i], ys[i]);
            series.seeds.emplace_back(xs[i], ys[i]);
          }
        }
    series.means.emplace_back();
    for (const auto& [event, values] : at)
      if (!values.first.empty())
        series.means.back().push_back({values.first.point(0).mean, values.second.point(0).mean, NAN,
                                       values.first.values().size(), colour_of_event(event)});
    if (!series.means.back().empty()) plot.series.push_back(series);
  }

  // Over the cells' means.
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

  std::vector<LegendEntry> legend(const PlotGroup& group) const {
    std::vector<LegendEntry> entries;
    const auto told_by_axis = [](const Plot& plot) {
      return std::all_of(plot.series.begin(), plot.series.end(), [&](const PlotSeries& series) {
        return std::count(plot.categories.begin(), plot.categories.end(), series.label) > 0;
      });
    };
    if (std::all_of(group.plots.begin(), group.plots.end(), told_by_axis)) return entries;
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
      for (auto [event, last] = edits(); event <= last; ++event)
        entries.push_back({fmt::format("edit {}", event), colour_of_event(event), 0, PlotSeries::Form::points});
    return entries;
  }

  const Panel& panel_;
  CellTables& tables_;
  std::string selected_key_;
  std::map<ConfigText, const ShownCell*> partners_;  // by what is the same
  Cells cells_;
  std::vector<Line> lines_;
  bool ordered_ = false;
  std::vector<std::string> x_values_;
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
