// epochs.csv of a run (lab/results/epoch_table.hpp), to be asked for curves over the periods of its cycles.
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
  // Throws InputError, naming file and line, when the text cannot be what the run wrote.
  EpochCurves(std::string_view text, const std::string& file, const RunConfig& config);
  // What a run that goes on has written so far.
  static EpochCurves read(const std::filesystem::path& file, const RunConfig& config);

  std::int32_t periods() const { return periods_; }
  // test_accuracy, test_loss, train_accuracy or train_loss at the end of a period, 1 .. periods(); a value per seed,
  // NaN where there is none.
  std::vector<double> values(const std::string& column, std::int32_t period) const;
  // Active units of a hidden layer during the period, mean over the seeds.
  double active_units(std::size_t layer, std::int32_t period) const;

 private:
  std::size_t seeds_;
  std::int32_t periods_ = 0;
  std::map<std::string, std::map<std::int32_t, std::vector<double>>> columns_;
  std::vector<std::map<std::int32_t, std::vector<double>>> active_;  // per hidden layer
};

}  // namespace cambium
