// Learning speeds of newborn units at a step of a run, for interventions that change them for a number of steps.
#pragma once

#include <vector>

#include "lab/config/config.hpp"
#include "plasticity/cohorts.hpp"

namespace cambium {

struct NewbornSpeeds {
  std::vector<std::vector<float>> factors;  // per hidden layer (R, full width), for Trainer::set_speeds
  std::uint64_t until = UINT64_MAX;         // the step at which they change
};

// The speeds at `step`, after `events` edits.
NewbornSpeeds newborn_speeds(const RunConfig& config, const BirthEvents& births, std::int32_t events,
                             std::uint64_t step);

}  // namespace cambium
