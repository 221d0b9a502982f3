// Consistency of a checkpoint: the units that its masks and births contain are those that its edits have left. Every
// check throws InputError, with `source` as the name of the file.
#pragma once

#include <string>

#include "lab/config/config.hpp"
#include "plasticity/cohorts.hpp"

namespace cambium {

// After `events` edits every network has a known number of active units.
void check_active_units(const std::string& source, const RunConfig& config, const Architecture& architecture,
                        const Structure& structure, std::int32_t events);

// Each edit activates a known number of units, which are active now. No other unit has a birth event.
void check_births(const std::string& source, const RunConfig& config, const Architecture& architecture,
                  const Structure& structure, const BirthEvents& births, std::int32_t events);

}  // namespace cambium
