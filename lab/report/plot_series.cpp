#include "lab/report/plot_series.hpp"

#include <algorithm>
#include <cmath>

#include "lab/report/series_style.hpp"
#include "lab/results/labels.hpp"
#include "lab/results/measures.hpp"
#include "lab/results/statistics.hpp"

namespace cambium {
namespace {

using Form = PlotSeries::Form;

// The values of one point, by seed. Several values of a seed are averaged.
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

// Adds a point to the last segment of a series.
void add_point(PlotSeries& series, double x, const SeedValues& values) {
  if (values.empty()) return;
  if (series.means.empty()) series.means.emplace_back();
  series.means.back().push_back(values.point(x));
  if (series.form != Form::curve)
    for (const double value : values.values()) series.seeds.emplace_back(x, value);
}

void add_if_any(Plot& plot, const PlotSeries& series) {
  if (!series.means.empty()) plot.series.push_back(series);
}

}  // namespace

std::string PlotLine::label() const {
  if (key == "quantity")
    for (const auto* all : {&cell_measures(), &event_quantities(), &epoch_columns()})
      if (const auto* measure = find_measure(*all, text)) return measure->label;
  return key_value_label(key, text);
}

double x_position(const std::string& key, const std::string& value, const std::vector<std::string>& values) {
  if (!all_numbers(values))
    return static_cast<double>(std::find(values.begin(), values.end(), value) - values.begin()) + 1;
  const double number = number_of(value);
  return key == "compactness" ? std::round(number * 1e6) / 1e4 : number;
}

SeriesMaker::SeriesMaker(const Panel& panel, const Cells& cells, CellTables& tables, std::string selected_key)
    : panel_(panel), cells_(cells), tables_(tables), selected_key_(std::move(selected_key)) {}

void SeriesMaker::subtract(const ShownCell& cell) { subtracted_.emplace(keys_without_minus(cell), &cell); }

// The keys that the file gives a cell, without those of `minus` and without the selected one.
ConfigText SeriesMaker::keys_without_minus(const ShownCell& cell) const {
  ConfigText keys = cell.cell->keys;
  for (const auto& [key, values] : panel_.minus) keys.erase(key);
  keys.erase(selected_key_);
  return keys;
}

void SeriesMaker::add(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells,
                      const std::vector<std::string>& x_values) {
  switch (panel_.kind) {
    case Panel::Kind::over_key:
      return add_over_key(plot, style, y, cells, x_values);
    case Panel::Kind::over_events:
      return add_over_events(plot, style, y, cells);
    case Panel::Kind::over_ages:
      return add_over_ages(plot, style, y, cells);
    case Panel::Kind::over_epochs:
      return add_over_epochs(plot, style, y, cells);
    case Panel::Kind::cells:
      return add_scatter_of_cells(plot, style, y, cells);
    case Panel::Kind::events:
      return add_scatter_of_events(plot, style, y, cells);
  }
}

std::pair<std::int32_t, std::int32_t> SeriesMaker::edits() const {
  std::int32_t first = 1, last = 1;
  for (const auto* cell : cells_) {
    first = std::min(first, cell->cell->config.events().first());
    last = std::max(last, cell->cell->config.cycles - 1);
  }
  return {first, last};
}

std::string SeriesMaker::colour_of_edit(std::int32_t edit) const {
  const auto [first, last] = edits();
  return colour_for("event", "", static_cast<std::size_t>(edit - first), static_cast<std::size_t>(last - first + 1),
                    true);
}

PlotSeries SeriesMaker::series(const PlotSeries& style, Form form) const {
  PlotSeries result = style;
  result.form = form;
  return result;
}

// A measure of a cell per seed, minus that of the cell to subtract if the panel has `minus`.
std::vector<double> SeriesMaker::measure(const ShownCell& cell, const std::string& name) const {
  std::vector<double> values(cell.result->seeds.size(), NAN);
  if (!cell.result->has(name)) return values;
  values = cell.result->of(name);
  if (panel_.minus.empty()) return values;
  const auto found = subtracted_.find(keys_without_minus(cell));
  const auto* other = found == subtracted_.end() ? nullptr : found->second;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double subtrahend = NAN;
    if (other != nullptr && other->result->has(name))
      for (std::size_t k = 0; k < other->result->seeds.size(); ++k)
        if (other->result->seeds[k] == cell.result->seeds[i]) subtrahend = other->result->of(name)[k];
    values[i] -= subtrahend;
  }
  return values;
}

// The values of a quantity of an event: at the panel's time point, or at the one that the quantity describes.
std::vector<double> SeriesMaker::of_event(const ParityTable& table, const ShownCell& cell, const std::string& quantity,
                                          std::int32_t event) const {
  if (panel_.at) return table.values(quantity, *panel_.at, event);
  if (quantity.starts_with("early_") || quantity.starts_with("segment_")) return table.last(quantity, event);
  if (quantity.starts_with("mask_")) return table.values(quantity, TimePoint::post_mask, event);
  const bool at_exit =
      cell.cell->config.method == Method::prune && (quantity.ends_with("_ratio") || quantity.ends_with("_parity") ||
                                                    quantity.starts_with("kept_") || quantity.starts_with("pruned_"));
  return table.values(quantity, at_exit ? TimePoint::exit : TimePoint::post, event);
}

void SeriesMaker::add_over_key(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells,
                               const std::vector<std::string>& x_values) {
  const double factor = find_measure(cell_measures(), y)->factor;
  std::map<std::string, SeedValues> at;
  SeedValues everywhere;
  for (const auto* cell : cells) {
    const auto x = cell->value(panel_.x);
    (x ? at[*x] : everywhere).add(*cell, measure(*cell, y), factor);
  }
  auto line = series(style, Form::line);
  for (const auto& value : x_values)
    if (const auto found = at.find(value); found != at.end())
      add_point(line, x_position(panel_.x, value, x_values), found->second);
  add_if_any(plot, line);
  if (everywhere.empty()) return;
  auto level = series(style, Form::level);
  level.means = {{everywhere.point(0)}};
  plot.series.push_back(level);
}

void SeriesMaker::add_over_events(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells) {
  std::map<std::int32_t, SeedValues> at;
  for (const auto* cell : cells)
    if (const auto* table = tables_.parities(*cell))
      for (const auto event : table->events()) at[event].add(*cell, of_event(*table, *cell, y, event), 1);
  auto line = series(style, Form::line);
  for (const auto& [event, values] : at) {
    add_point(line, event, values);
    if (!std::count(plot.ticks.begin(), plot.ticks.end(), event)) plot.ticks.push_back(event);
  }
  if (plot.ticks.size() > 10) plot.ticks.clear();
  add_if_any(plot, line);
}

void SeriesMaker::add_over_ages(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells) {
  std::map<std::int32_t, SeedValues> at;
  for (const auto* cell : cells)
    if (const auto* table = tables_.parities(*cell))
      for (const auto event : table->events())
        for (std::int32_t age = 0; age <= table->oldest(event); ++age)
          at[age].add(*cell, table->at_age(y, age, event), 1);
  auto curve = series(style, Form::curve);
  for (const auto& [age, values] : at) add_point(curve, age, values);
  add_if_any(plot, curve);
}

void SeriesMaker::add_over_epochs(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells) {
  auto curve = series(style, Form::curve);
  if (const auto* column = find_measure(epoch_columns(), y)) {
    std::map<std::int32_t, SeedValues> at;
    for (const auto* cell : cells) {
      const auto& curves = tables_.epochs(*cell);
      for (std::int32_t epoch = 1; epoch <= curves.periods(); ++epoch)
        at[epoch].add(*cell, curves.values(y, epoch), column->factor);
    }
    for (const auto& [epoch, values] : at) add_point(curve, epoch, values);
  } else {
    // One segment per event; the event's epoch plus the age of its cohorts is the epoch of a value.
    std::map<std::int32_t, std::map<std::int32_t, SeedValues>> at;
    for (const auto* cell : cells)
      if (const auto* table = tables_.parities(*cell))
        for (const auto event : table->events())
          for (std::int32_t age = 0; age <= table->oldest(event); ++age)
            at[event][cell->cell->config.cycle_end(event) + age].add(*cell, table->at_age(y, age, event), 1);
    for (const auto& [event, epochs] : at) {
      curve.means.emplace_back();
      for (const auto& [epoch, values] : epochs) add_point(curve, epoch, values);
      if (curve.means.back().empty()) curve.means.pop_back();
    }
  }
  add_if_any(plot, curve);
}

void SeriesMaker::add_scatter_of_cells(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells) {
  auto points = series(style, Form::points);
  const double x_factor = find_measure(cell_measures(), panel_.x)->factor;
  const double y_factor = find_measure(cell_measures(), y)->factor;
  std::vector<double> x_means, y_means;
  for (const auto* cell : cells) {
    const auto xs = measure(*cell, panel_.x), ys = measure(*cell, y);
    std::vector<double> x_known, y_known;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      if (!std::isfinite(xs[i]) || !std::isfinite(ys[i])) continue;
      x_known.push_back(x_factor * xs[i]);
      y_known.push_back(y_factor * ys[i]);
      points.seeds.emplace_back(x_known.back(), y_known.back());
    }
    if (x_known.empty()) continue;
    x_means.push_back(estimate(x_known).mean);
    y_means.push_back(estimate(y_known).mean);
  }
  if (x_means.empty()) return;
  points.means = {{{estimate(x_means).mean, estimate(y_means).mean, NAN, x_means.size()}}};
  plot.series.push_back(points);
}

void SeriesMaker::add_scatter_of_events(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells) {
  auto trajectory = series(style, Form::trajectory);
  std::map<std::int32_t, std::pair<SeedValues, SeedValues>> at;
  for (const auto* cell : cells)
    if (const auto* table = tables_.parities(*cell))
      for (const auto event : table->events()) {
        const auto xs = of_event(*table, *cell, panel_.x, event), ys = of_event(*table, *cell, y, event);
        for (std::size_t i = 0; i < xs.size(); ++i) {
          if (!std::isfinite(xs[i]) || !std::isfinite(ys[i])) continue;
          at[event].first.add(cell->result->seeds[i], xs[i]);
          at[event].second.add(cell->result->seeds[i], ys[i]);
          trajectory.seeds.emplace_back(xs[i], ys[i]);
        }
      }
  trajectory.means.emplace_back();
  for (const auto& [event, values] : at)
    if (!values.first.empty())
      trajectory.means.back().push_back({values.first.point(0).mean, values.second.point(0).mean, NAN,
                                         values.first.values().size(), colour_of_edit(event)});
  if (!trajectory.means.back().empty()) plot.series.push_back(trajectory);
}

}  // namespace cambium
