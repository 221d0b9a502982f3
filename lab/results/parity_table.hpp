// Reads parities.csv of a run (lab/results/cohort_table.hpp) and gives the values of the whole network, which are the
// rows of layer "all".
//
//   table.values("gradient_log_parity", TimePoint::post, 2)   at a time point of event 2
//   table.at_age("gradient_ratio", 5, 2)                      five epochs after event 2
//   table.last("early_gradient_log_parity_5", 2)              of a quantity that an event has once
//
// Each returns one value per seed, in the order of the seeds passed to the constructor; a missing value is NaN.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "plasticity/cohorts.hpp"

namespace cambium {

class ParityTable {
 public:
  // `batches`: 1, or 8 for signals averaged over the event's batches. `wanted`: the quantities to keep; empty for all.
  // Throws InputError with file and line if the text is not what a run with these seeds writes.
  ParityTable(std::string_view text, const std::string& file, std::span<const std::uint32_t> seeds,
              std::int32_t batches = 1, std::span<const std::string> wanted = {});
  static ParityTable read(const std::filesystem::path& file, std::span<const std::uint32_t> seeds,
                          std::int32_t batches = 1, std::span<const std::string> wanted = {});

  // Event numbers, ascending.
  const std::vector<std::int32_t>& events() const { return events_; }
  // The largest recorded age of an event in whole epochs; 0 if there is none.
  std::int32_t oldest(std::int32_t event) const;

  std::vector<double> values(const std::string& quantity, TimePoint point, std::int32_t event) const;
  // Age 0 is the time point `post`.
  std::vector<double> at_age(const std::string& quantity, std::int32_t epochs, std::int32_t event) const;
  std::vector<double> last(const std::string& quantity, std::int32_t event) const;

 private:
  // Event, time point, whole epochs (of an age).
  using Key = std::tuple<std::int32_t, TimePoint, std::int32_t>;
  using Values = std::map<Key, std::vector<double>>;

  std::vector<double> find(const std::string& quantity, const Key& key) const;

  std::size_t seeds_;
  std::vector<std::int32_t> events_;
  std::map<std::int32_t, std::int32_t> oldest_;
  std::map<std::string, Values, std::less<>> quantities_;
  std::map<std::string, std::map<std::int32_t, std::vector<double>>, std::less<>> last_;
};

}  // namespace cambium
