// How fast newborn units learn at a step of a run, when an intervention gives them a speed of their own for a while.
#pragma once

#include <vector>

#include "lab/config/config.hpp"
#include "plasticity/cohorts.hpp"

namespace cambium {

struct NewbornSpeeds {
  std::vector<std::vector<float>> factors;  // per hidden layer (R, full width), for Trainer::set_speeds
  std::uint64_t until = UINT64_MAX;         // the step from which they are others
};

// At `step`, when the run has seen `events` of its edits.
NewbornSpeeds newborn_speeds(const RunConfig& config, const BirthEvents& births, std::int32_t events,
                             std::uint64_t step);

}  // namespace cambium
