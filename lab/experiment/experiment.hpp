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
//   [select]                     # optional: the value of a key with which every cell does best, tried first
//   lr = [0.1, 0.01]             # the only list: the key and its candidates
//   seeds = "101..102"           # tried with these
//   by = "average"               # the measure that decides; the larger the better
//
//   [quick]                      # what the scale `quick` changes; `full` is the file as it stands
//   seeds = "1..3"
//   [quick.fashion-mnist]        # the same for the cells of one stream
//   epochs = 10
//
// Values that are themselves lists are text: hidden = "512,512,256". A scale that gives the selected key itself selects
// nothing. An experiment that only looks at the cells of another has, instead of all that, the name of a file beside
// it:
//
//   like = "table-4"
//
// [table] and [[panel]] say how results are shown: lab/report.
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
  ConfigText keys;  // what the file gives
  RunConfig config;
  std::string name;  // stream, variant, compactness and a hash of the configuration: the same for the same
  // Of a cell whose selected key is open: the cells, by their place in the experiment, one of which decides. Until then
  // its configuration has the first one's value, and no name.
  std::vector<std::size_t> candidates;
  bool open() const { return name.empty(); }
};

struct Experiment {
  std::string name, title;
  Scale scale = Scale::full;
  std::string text;             // the file
  std::string like, like_text;  // the name and the file of the experiment whose cells it has, if they are not its own
  std::vector<Cell> cells;
  std::string selected_key, selected_by;  // of the selection, if there is one

  // Gives an open cell the value of the best of its candidates.
  void decide(std::size_t cell, std::size_t best);
  // Cells that are there to be compared, not to select a value for another.
  std::vector<std::size_t> compared() const;
};

// Throws InputError, which names the line or the cell, for what is wrong.
Experiment read_experiment(const std::filesystem::path& file, Scale scale);
// `text_of_other`: the file of an experiment that this one may be like, by its name.
using ExperimentText = std::function<std::string(const std::string& name)>;
Experiment parse_experiment(const std::string& text, const std::string& source, const std::string& name, Scale scale,
                            const ExperimentText& text_of_other);

// The name of a configuration as a cell.
std::string cell_name(const RunConfig& config);

}  // namespace cambium
