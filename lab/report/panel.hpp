// A panel of a figure, as described in an experiment file (docs/figures.md):
//
//   [[panel]]
//   title = "Cycle ACC"
//   where = { method = ["grow", "prune"] }   # only cells with these values
//   x = "compactness"                        # see below
//   y = "accuracy"                           # a name, or a list of names with one line each
//   at = "post"                              # time point of an event, for quantities of events
//   lines = "variant"                        # one line per value of this key; "quantity" for a list of y
//   panels = "stream"                        # one plot per value of this key, for streams with different scales
//   minus = { activation = "relu" }          # differences to the cell that differs in this key only
//   reference = 1                            # y of a dashed horizontal line; reference_x: x of a vertical one
//   spearman = true                          # rank correlation over the means of the cells, in a scatter plot
//
//   x                                y
//   a key of configurations          a measure of cells
//   event, age                       a quantity of events
//   epoch                            a quantity of events, or a column of epochs.csv
//   a measure of cells               a measure of cells (a scatter plot of cells)
//   a quantity of events             a quantity of events (a scatter plot of events)
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/experiment/cell_keys.hpp"
#include "plasticity/cohorts.hpp"

namespace cambium {

// The values of each key that pass.
using CellFilter = std::map<std::string, std::vector<std::string>>;

struct Panel {
  enum class Kind { over_key, over_events, over_ages, over_epochs, cells, events };

  std::string title, x;
  std::vector<std::string> y;
  Kind kind = Kind::over_key;
  CellFilter where, minus;
  std::optional<TimePoint> at;
  std::string lines = "variant", panels;  // panels is empty for a single plot
  std::optional<double> reference, reference_x;
  bool spearman = false;
};

// The panels of an experiment file, checked against its cells; empty if it has no [[panel]]. Throws InputError with the
// line.
std::vector<Panel> read_panels(const Experiment& experiment);

// Panels for an experiment whose file has none: accuracy, and ticket accuracy if there are tickets.
std::vector<Panel> default_panels(const Experiment& experiment);

}  // namespace cambium
