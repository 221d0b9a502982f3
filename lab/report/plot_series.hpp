// The series of a plot: values of cells per seed, then their mean and interval at every point.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/report/plot.hpp"

namespace cambium {

// A line of a panel: the value of a key, or, for the key "quantity", the name of a measure.
struct PlotLine {
  std::string key, text;
  auto operator<=>(const PlotLine&) const = default;

  std::string label() const;
};

class SeriesMaker {
 public:
  // `cells`: all cells that the panel shows. `selected_key`: cells that are otherwise equal may differ in it.
  SeriesMaker(const Panel& panel, const Cells& cells, CellTables& tables, std::string selected_key);

  // Makes `cell` the one whose values are subtracted from those of the cells that only differ in the keys of `minus`.
  void subtract(const ShownCell& cell);

  // Adds the series of a line to a plot. `style`: its label, colour and marker; `y`: the measure; `cells`: those of the
  // line; `x_values`: the values of the key on the x axis, if the panel has one.
  void add(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells,
           const std::vector<std::string>& x_values);

  // The numbers of the first and of the last edit that the cells may have.
  std::pair<std::int32_t, std::int32_t> edits() const;
  std::string colour_of_edit(std::int32_t edit) const;

 private:
  PlotSeries series(const PlotSeries& style, PlotSeries::Form form) const;
  std::vector<double> measure(const ShownCell& cell, const std::string& name) const;
  std::vector<double> of_event(const ParityTable& table, const ShownCell& cell, const std::string& quantity,
                               std::int32_t event) const;
  ConfigText keys_without_minus(const ShownCell& cell) const;

  void add_over_key(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells,
                    const std::vector<std::string>& x_values);
  void add_over_events(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells);
  void add_over_ages(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells);
  void add_over_epochs(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells);
  void add_scatter_of_cells(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells);
  void add_scatter_of_events(Plot& plot, const PlotSeries& style, const std::string& y, const Cells& cells);

  const Panel& panel_;
  const Cells& cells_;
  CellTables& tables_;
  std::string selected_key_;
  std::map<ConfigText, const ShownCell*> subtracted_;  // by keys_without_minus()
};

// The position of a key's value on the x axis: the number itself, a percentage for compactness, or 1, 2, ... if the
// values are not all numbers.
double x_position(const std::string& key, const std::string& value, const std::vector<std::string>& values);

}  // namespace cambium
