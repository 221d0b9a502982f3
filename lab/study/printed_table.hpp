// [table] of an experiment file: the measures of its table and, optionally, the values that a publication prints.
//
//   [table]
//   columns = ["accuracy", "ticket.accuracy"]      # a table of results only: one row per cell
//
//   [table]
//   printed = """                                  # or printed values: keys of cells, then measures in percent
//   method | compactness | accuracy       | gain.accuracy
//   dense  |             | 49.660 ± 0.315 |
//   grow   | 0.2         | 52.316 ± 0.317 | -0.261
//   """
//   quantile = 1.96                                # optional: half-width in standard errors; default: Student's t
//   test = "welch"                                 # optional: values are p-values of variants `first` and `second`
//
// A row without some of the keys is the mean of all cells that match the others.
#pragma once

#include <optional>

#include "lab/study/findings.hpp"

namespace cambium {

struct PrintedNumber {
  double value = 0;
  double half_width = 0;  // of a 95 % interval over ten seeds; NaN if not printed
};

struct PrintedTable {
  struct Row {
    CellKeys keys;
    std::vector<std::optional<PrintedNumber>> numbers;  // by measure
  };
  std::vector<std::string> keys, measures;
  std::vector<Row> rows;  // empty: a table of results only
  bool welch = false;
};

// None if the file has no [table]. Throws InputError with file and line.
std::optional<PrintedTable> read_table(const Experiment& experiment);

}  // namespace cambium
