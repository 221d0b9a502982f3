// One structural edit of R networks, in their full form: scores, choice, new masks, and what newborn units begin with.
//
// All layers are scored with the masks of before the event, then all masks change together. The edit comes back as
// data: who was chosen and why, and what it did to the loss on the event's batch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plasticity/choice.hpp"
#include "plasticity/intervention.hpp"
#include "plasticity/quota.hpp"
#include "plasticity/scoring_pass.hpp"

namespace cambium {

struct GrowSettings {
  double seed_fraction = 0.1;  // of a layer's units, active from the start
  std::string rule = "activation";
  float tau = 0.05f;  // above it, an output counts as active
  std::vector<std::string> interventions;
  InterventionSettings intervention;
};

struct Edit {
  std::uint32_t event = 0;
  Structure before, after;
  std::vector<std::vector<Choice>> choices;  // per hidden layer and replica
  std::vector<std::vector<float>> scores;    // per hidden layer, (R, full width)
  std::map<std::string, Donors> donors;      // by the name that interventions have for them
  // Per replica, on the event's batch: the mean loss with the old masks, with the new ones, and after a rewind, if
  // there was one; and how far the new masks moved the logits (mean L2 distance).
  std::vector<double> loss_before, loss_after, loss_rewound, logit_distance;

  bool changes_nothing() const;
};

// Units that are due at event `event` of the plan.
struct EditTime {
  EventPlan plan;
  std::int32_t event = 0;
  std::vector<std::int32_t> targets;  // per hidden layer
};

// The stage holds the event's batch.
Edit grow(Device& device, const FullForm& networks, const Structure& before, const EditTime& time,
          std::span<const std::uint32_t> seeds, const Activation& activation, const GrowSettings& settings,
          ScoringPass& stage);
Edit prune(Device& device, const FullForm& networks, const Structure& before, const EditTime& time, ScoringPass& stage);

}  // namespace cambium
