// [table] of an experiment: which measures its table has, and the figures that a publication prints for them.
//
//   [table]
//   columns = ["accuracy", "ticket.accuracy"]      # a table of one's own: a row per cell
//
//   [table]
//   printed = """                                  # or one to compare with: keys of cells, then measures in percent
//   method | compactness | accuracy       | gain.accuracy
//   dense  |             | 49.660 ± 0.315 |
//   grow   | 0.2         | 52.316 ± 0.317 | -0.261
//   """
//   quantile = 1.96                                # optional: standard errors in a printed half-width; else Student's
//   test = "welch"                                 # optional: numbers are p-values of variants `first` and `second`
//
// A row that leaves keys out stands for the mean of all cells that it fits.
#pragma once

#include <optional>

#include "lab/study/findings.hpp"

namespace cambium {

struct PrintedNumber {
  double value = 0;
  double half_width = 0;  // of a 95 % interval over ten seeds; NaN where none is printed
};

struct PrintedTable {
  struct Row {
    CellKeys keys;
    std::vector<std::optional<PrintedNumber>> numbers;  // by measure
  };
  std::vector<std::string> keys, measures;
  std::vector<Row> rows;  // none: a table of one's own
  bool welch = false;
};

// None where the experiment has none. Throws InputError, which names the file and the line.
std::optional<PrintedTable> read_table(const Experiment& experiment);

}  // namespace cambium
