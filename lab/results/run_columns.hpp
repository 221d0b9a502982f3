// The first columns of every table of a run, and the format of numbers in tables.
#pragma once

#include <string>

#include "lab/config/config.hpp"

namespace cambium {

// The names contain no commas, quotes or line breaks.
struct RunColumns {
  std::string run, method, variant, stream;
  double compactness = 1;

  bool operator==(const RunColumns&) const = default;
};
RunColumns columns_of(const RunConfig& config);

inline constexpr const char* run_columns = "run,method,variant,stream,compactness";
std::string format(const RunColumns& run);

// The shortest text that reads back as the same value; empty for NaN.
std::string table_number(double value);

}  // namespace cambium
