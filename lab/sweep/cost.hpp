// What a cell costs: counted in steps and multiplications from its configuration alone, and in seconds after a short
// timing on a device.
#pragma once

#include <map>
#include <string>

#include "lab/config/config.hpp"

namespace cambium {

class Device;

// Of all seeds, cycles and ticket.
struct Work {
  double steps = 0;
  double multiplications = 0;  // in the products of training steps and of tests

  // A number to compare cells by, where no device was timed.
  double weight() const { return multiplications + steps * 2e6; }
};
Work work_of(const RunConfig& config);

// Seconds that cells take on a device. Steps of every kind of network, batch, optimiser and number of seeds are timed
// once, with few active units and with all; what lies between follows their multiplications.
class CostModel {
 public:
  explicit CostModel(Device& device) : device_(device) {}

  double seconds(const RunConfig& config);

 private:
  struct Line {
    double each_step = 0, each_multiplication = 0;
  };
  const Line& line_of(const RunConfig& config);
  double seconds_per_step(const RunConfig& config, const std::vector<std::int32_t>& active) const;

  Device& device_;
  std::map<std::string, Line> lines_;  // by what was timed
};

}  // namespace cambium
