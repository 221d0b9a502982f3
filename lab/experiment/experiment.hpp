// An experiment: a grid of cells, each the configuration of a run, read from a TOML file.
//
//   title = "GROW and PRUNE on Fashion-MNIST"
//
//   [all]                        # keys of every cell
//   stream = "fashion-mnist"
//
//   [[cells]]                    # one cell for every combination of the values in lists
//   method = ["grow", "prune"]
//   compactness = [0.2, 0.5]
//
//   [select]                     # optional hyperparameter search: every cell takes the best value of this key
//   lr = [0.1, 0.01]             # the key and its candidates
//   seeds = "101..102"           # seeds of the candidates
//   by = "average"               # the measure to maximise
//
//   [quick]                      # keys that the scale `quick` changes; `full` is the file without them
//   seeds = "1..3"
//   [quick.fashion-mnist]        # the same for the cells of one stream
//   epochs = 10
//
// Values that are lists themselves are written as text: hidden = "512,512,256". If a scale sets the selected key,
// nothing is selected at that scale. An experiment that shows the cells of another one differently has, instead of all
// tables above, the name of that experiment, whose file is in the same folder:
//
//   like = "table-4"
//
// [table] and [[panel]] describe how results are shown (lab/study/printed_table.hpp, lab/report/panel.hpp).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/config/config.hpp"

namespace cambium {

enum class Scale { full, quick };
Scale parse_scale(const std::string& text);
const char* name_of(Scale scale);

struct Cell {
  ConfigText keys;  // as in the file
  RunConfig config;
  std::string name;  // stream, variant, compactness and a hash of the configuration; empty while the cell is open
  // Candidate cells of a hyperparameter search, by their place in the experiment; empty if nothing is selected. Until
  // the best is chosen, the cell is open and its configuration has the value of the first candidate.
  std::vector<std::size_t> candidates;
  bool open() const { return name.empty(); }
};

struct Experiment {
  std::string name, title;
  Scale scale = Scale::full;
  std::string text;             // of the file
  std::string like, like_text;  // name and file text of the experiment whose cells it shares; empty if it has its own
  std::vector<Cell> cells;
  std::string selected_key, selected_by;  // of [select]; empty if there is none

  // Gives an open cell the value of its best candidate.
  void decide(std::size_t cell, std::size_t best);
  // The places of all cells that are not candidates.
  std::vector<std::size_t> compared() const;
};

// Throws InputError, which names the line or the cell.
Experiment read_experiment(const std::filesystem::path& file, Scale scale);
// `text_of_other` returns the file text of the experiment named by `like`.
using ExperimentText = std::function<std::string(const std::string& name)>;
Experiment parse_experiment(const std::string& text, const std::string& source, const std::string& name, Scale scale,
                            const ExperimentText& text_of_other);

// The name of a configuration as a cell.
std::string cell_name(const RunConfig& config);

}  // namespace cambium
