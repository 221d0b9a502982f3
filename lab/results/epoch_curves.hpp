// Reads epochs.csv of a run (lab/results/epoch_table.hpp) and gives its curves over the periods of the cycles.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lab/config/config.hpp"

namespace cambium {

class EpochCurves {
 public:
  // Throws InputError with file and line if the text is not what the run writes.
  EpochCurves(std::string_view text, const std::string& file, const RunConfig& config);
  // Also reads the file of an unfinished run.
  static EpochCurves read(const std::filesystem::path& file, const RunConfig& config);

  std::int32_t periods() const { return periods_; }
  // An epoch measure at the end of a period, 1 .. periods(): a value per seed, NaN if it is missing.
  std::vector<double> values(const std::string& column, std::int32_t period) const;
  // Active units of a hidden layer during a period, mean over the seeds.
  double active_units(std::size_t layer, std::int32_t period) const;

 private:
  std::size_t seeds_;
  std::int32_t periods_ = 0;
  std::map<std::string, std::map<std::int32_t, std::vector<double>>> columns_;
  std::vector<std::map<std::int32_t, std::vector<double>>> active_;  // per hidden layer
};

}  // namespace cambium
