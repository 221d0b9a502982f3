// Interventions: what may be done for newborn units beyond recruiting them. Each has a file of its own and a line in
// intervention.cpp; docs/plasticity.md tells how to add one. They combine freely, and act in the order of the table.
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

// The moment after the masks have changed. The stage has the new masks, and last looked with the old ones.
struct BirthScene {
  Device& device;
  const FullForm& networks;
  const Births& births;
  const InterventionSettings& settings;
  ScoringPass& stage;
};

// A factor on the displacement of a newborn unit's weights and bias, for so many steps from its birth.
struct NewbornSpeed {
  float factor = 1.0f;
  std::uint64_t steps = 0;
};

struct Intervention {
  std::string name, help;
  // Why it cannot be used with an optimiser; empty when it can. None: it always can.
  std::string (*why_not)(const OptimizerSettings& optimizer) = nullptr;
  // What it does at a birth, and who gave something to whom; the trace has that under `donor_name`. None: nothing.
  Donors (*at_birth)(const BirthScene& scene) = nullptr;
  std::string donor_name;
  // How fast newborns learn. None: like all others.
  NewbornSpeed (*speed)(const InterventionSettings& settings) = nullptr;
};

Intervention net2wider();
Intervention moment_transplant();
Intervention two_speed();

const std::vector<Intervention>& interventions();
std::vector<std::string> intervention_names();
const Intervention& intervention(const std::string& name);

}  // namespace cambium
