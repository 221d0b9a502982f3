// What every row of a run's tables begins with, and how tables show numbers.
#pragma once

#include <string>

#include "lab/config/config.hpp"

namespace cambium {

// Names have no commas, quotes or line breaks.
struct RunColumns {
  std::string run, method, variant, stream;
  double compactness = 1;

  bool operator==(const RunColumns&) const = default;
};
RunColumns columns_of(const RunConfig& config);

inline constexpr const char* run_columns = "run,method,variant,stream,compactness";
std::string format(const RunColumns& run);

// With as many digits as it takes to read the same value back; one that is missing is an empty field.
std::string table_number(double value);

}  // namespace cambium
