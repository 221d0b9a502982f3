// One structural edit of R networks, in their full form, as a sequence of steps:
//
//   begin_edit      remember the old masks
//   compute_scores  evaluate the event's batch with the old masks; score all units
//   choose_units    select the units that are due; make the new masks
//   apply_edit      GROW applies interventions, PRUNE clears the moments of removed units; evaluate with the new masks
//   rewind_edit     PRUNE only: restore earlier weights; evaluate again
//
// All layers are scored with the old masks, then all masks change together. The result is data: which units were chosen
// and why, and how the loss on the event's batch changed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plasticity/choice.hpp"
#include "plasticity/intervention.hpp"
#include "plasticity/quota.hpp"
#include "plasticity/rewind.hpp"
#include "plasticity/scoring_pass.hpp"

namespace cambium {

struct GrowSettings {
  double seed_fraction = 0.1;  // of a layer's units, active from the start
  std::string rule = "activation";
  float tau = 0.05f;  // a unit is active on an image if its output is above tau
  std::vector<std::string> interventions;
  InterventionSettings intervention;
};

struct Edit {
  std::uint32_t event = 0;
  Structure before, after;
  std::vector<std::vector<Choice>> choices;  // per hidden layer and replica
  std::vector<std::vector<float>> scores;    // per hidden layer, (R, full width)
  std::map<std::string, Donors> donors;      // by Intervention::donor_name
  // Per replica, mean loss on the event's batch: with the old masks, with the new ones, and after a rewind (empty
  // without one).
  std::vector<double> loss_before, loss_after, loss_rewound;
  std::vector<double> logit_distance;  // per replica: mean L2 distance of the logits between old and new masks

  bool changes_nothing() const;
};

// When the edit happens, which decides how many units are due.
struct EditTime {
  EventPlan plan;
  std::int32_t event = 0;
  std::vector<std::int32_t> targets;  // per hidden layer
};

// The networks of an edit, and the pass that holds the event's batch.
struct EditContext {
  Device& device;
  const FullForm& networks;
  std::span<const std::uint32_t> seeds;
  const Activation& activation;
  ScoringPass& pass;
};

Edit begin_edit(const Structure& before, const EditTime& time);
// GROW scores with the selection rule of `settings`, PRUNE with the mean absolute incoming weight.
void compute_scores(Edit& edit, const EditTime& time, const EditContext& context, const GrowSettings& settings);
void choose_units(Edit& edit, const EditTime& time);
// The last evaluation of `context.pass` must be that of compute_scores.
void apply_edit(Edit& edit, const EditTime& time, const EditContext& context, const GrowSettings& settings);
// `target`: parameters in the full layout. Does nothing if the settings exclude a rewind at this edit.
void rewind_edit(Edit& edit, const EditContext& context, const RewindSettings& settings, View<const float> target);

}  // namespace cambium
