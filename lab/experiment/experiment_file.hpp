// The file of an experiment (format: experiment.hpp) as tables of keys, before cells are made of them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/toml_file.hpp"
#include "lab/experiment/experiment.hpp"

namespace cambium {

// The values of each key, in the order of the keys. One cell is made for every combination.
using Axes = std::vector<std::pair<std::string, std::vector<std::string>>>;

// All functions throw InputError, which names the line.
class ExperimentFile {
 public:
  ExperimentFile(const std::string& text, const std::string& source);

  std::string title(const std::string& otherwise) const;
  // The name of the experiment whose cells this one shares; empty if it has its own.
  std::string like() const;

  // The keys of a top-level table, without those of the tables in it.
  ConfigText keys(const std::string& table) const;
  // The keys that a scale changes for the cells of a stream.
  ConfigText changes(Scale scale, const std::string& stream) const;
  // Throws if the scale has a table for a stream that is not in the set.
  void check_streams(Scale scale, const std::set<std::string>& streams) const;
  // One entry per [[cells]].
  std::vector<Axes> grids() const;

  // [select]: `key` takes the one of the `values` with the largest measure `by`.
  struct Selection {
    std::string key, seeds = "101..102", by = "average";
    std::vector<std::string> values;
  };
  std::optional<Selection> selection() const;

  const std::string& source() const { return source_; }

 private:
  const TomlValue* find_table(const std::string& name) const;
  ConfigText keys(const TomlValue& table) const;
  std::pair<std::string, std::vector<std::string>> axis(const std::string& name, const TomlValue& value) const;

  std::string source_;
  TomlValue table_;
};

}  // namespace cambium
