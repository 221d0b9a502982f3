// A panel of a figure, as an experiment's file describes it (docs/figures.md):
//
//   [[panel]]
//   title = "Cycle ACC"
//   where = { method = ["grow", "prune"] }   # only cells with these keys
//   x = "compactness"                        # see below
//   y = "accuracy"                           # one name, or a list: then a line for each
//   at = "post"                              # moment of an event, for quantities of events
//   lines = "variant"                        # a line per value of this key; "quantity" with a list of y
//   panels = "stream"                        # a panel per value of this key, each with a scale of its own for streams
//   minus = { activation = "relu" }          # differences to the cell that is otherwise the same
//   reference = 1                            # a dashed line across; reference_x: a dashed line upwards
//   spearman = true                          # rank correlation over the cells' means, of a scatter plot
//
//   x                                y
//   a key of configurations          a measure of cells
//   event, age                       a quantity of events
//   epoch                            a quantity of events, or a column of epochs.csv
//   a measure of cells               a measure of cells: a scatter plot, of cells
//   a quantity of events             a quantity of events: a scatter plot, of events
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/cell_keys.hpp"
#include "plasticity/cohorts.hpp"

namespace cambium {

// Keys, and for each the values that will do.
using CellFilter = std::map<std::string, std::vector<std::string>>;

struct Panel {
  enum class Kind { over_key, over_events, over_ages, over_epochs, cells, events };

  std::string title, x;
  std::vector<std::string> y;
  Kind kind = Kind::over_key;
  CellFilter where, minus;
  std::optional<TimePoint> at;
  std::string lines = "variant", panels;  // panels: empty for one
  std::optional<double> reference, reference_x;
  bool spearman = false;
};

// The panels of an experiment's own file, checked against its cells; none when it has no [[panel]]. Throws InputError,
// naming the line, for what is wrong.
std::vector<Panel> read_panels(const Experiment& experiment);

// What to show of an experiment that does not say.
std::vector<Panel> default_panels(const Experiment& experiment);

}  // namespace cambium
