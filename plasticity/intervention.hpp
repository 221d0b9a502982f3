// Interventions: optional treatment of newborn units. Each has its own file and a line in intervention.cpp;
// docs/plasticity.md explains how to add one. They can be combined, and are applied in the order of the table.
#pragma once

#include <string>
#include <vector>

#include "optim/optimizer.hpp"
#include "plasticity/full_form.hpp"
#include "plasticity/scoring_pass.hpp"

namespace cambium {

struct InterventionSettings {
  float net2wider_epsilon = 1e-3f;
  float two_speed_factor = 5.0f;
  std::uint64_t two_speed_steps = 1955;
};

// The input of an intervention, after the masks have changed. The scoring pass has the new masks already; its logits
// are those with the old masks.
struct BirthContext {
  Device& device;
  const FullForm& networks;
  const Births& births;
  const InterventionSettings& settings;
  ScoringPass& pass;
};

// A factor on the displacement of a newborn unit's weights and bias, for `steps` steps from its birth.
struct NewbornSpeed {
  float factor = 1.0f;
  std::uint64_t steps = 0;
};

struct Intervention {
  std::string name, help;
  // The reason why it cannot be used with an optimiser; empty if it can. Null: it can be used with every optimiser.
  std::string (*why_not)(const OptimizerSettings& optimizer) = nullptr;
  // Changes parameters or moments at a birth and returns the donors; the trace stores them as `donor_name`. Null: no
  // change.
  Donors (*at_birth)(const BirthContext& context) = nullptr;
  std::string donor_name;
  // Learning speed of newborns. Null: the speed of all other units.
  NewbornSpeed (*speed)(const InterventionSettings& settings) = nullptr;
};

Intervention net2wider();
Intervention moment_transplant();
Intervention two_speed();

const std::vector<Intervention>& interventions();
std::vector<std::string> intervention_names();
const Intervention& intervention(const std::string& name);

}  // namespace cambium
