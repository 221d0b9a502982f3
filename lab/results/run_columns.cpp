#include "lab/results/run_columns.hpp"

#include <cmath>

namespace cambium {

RunColumns columns_of(const RunConfig& config) {
  return {run_id(config), name_of(config.method), config.variant(), config.curriculum.stream, config.compactness};
}

std::string format(const RunColumns& run) {
  for (const auto& name : {run.run, run.method, run.variant, run.stream})
    expect(name.find_first_of(",\"\r\n") == std::string::npos, "the name '{}' has a character that tables do not allow",
           name);
  return fmt::format("{},{},{},{},{}", run.run, run.method, run.variant, run.stream, run.compactness);
}

std::string table_number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace cambium
