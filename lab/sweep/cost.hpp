// Estimates of the cost of a cell: steps and multiplications follow from its configuration, seconds from a short timing
// on a device.
#pragma once

#include <map>
#include <string>

#include "lab/config/config.hpp"

namespace cambium {

class Device;

// Of all seeds, in the cycles and the ticket.
struct Work {
  double steps = 0;
  double multiplications = 0;  // in the matrix products of training steps and evaluations

  // A relative cost, for cells on a device that has not been timed.
  double weight() const { return multiplications + steps * 2e6; }
};
Work work_of(const RunConfig& config);

// Estimates the seconds that cells take on a device. Steps are timed once per kind of network, batch, optimiser and
// number of seeds, with few active units and with all; other numbers of units are interpolated by their
// multiplications.
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
  std::map<std::string, Line> lines_;  // by the kind of step
};

}  // namespace cambium
