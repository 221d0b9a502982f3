#include "plasticity/edit.hpp"

#include <algorithm>

#include "plasticity/batch_means.hpp"
#include "plasticity/selection.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

Choice choose(const Edit& edit, const EditTime& time, std::size_t layer, std::int32_t replica,
              std::span<const float> scores) {
  const auto mask = edit.before.mask(layer, replica);
  const std::int32_t active = edit.before.active(layer, replica), target = time.targets[layer];
  if (time.plan.method == Method::grow)
    return highest_inactive(scores, mask,
                            grow_count(active, target, edit.before.full_width(layer), time.event, time.plan.segments));
  return lowest_active(scores, mask, prune_count(active, target, time.event, time.plan.segments));
}

}  // namespace

bool Edit::changes_nothing() const {
  for (const auto& layer : choices)
    for (const auto& choice : layer)
      if (!choice.units.empty()) return false;
  return true;
}

Edit begin_edit(const Structure& before, const EditTime& time) {
  return {.event = static_cast<std::uint32_t>(time.event), .before = before, .after = before};
}

void compute_scores(Edit& edit, const EditTime& time, const EditContext& context, const GrowSettings& settings) {
  const bool grows = time.plan.method == Method::grow;
  const SelectionRule& rule = selection_rule(settings.rule);
  const View<const float> parameters = context.networks.parameters;
  context.pass.set_masks(edit.before);
  edit.loss_before = context.pass.observe(parameters, grows && rule.needs_gradients);
  const ScoringContext scoring{context.device, context.pass.network(), context.pass.pass(), context.activation,
                               parameters,     context.seeds,          edit.event,          settings.tau};
  for (std::size_t layer = 0; layer < edit.before.layers(); ++layer) {
    Buffer<float> scores(context.device, edit.before.masks(layer).size());
    if (grows)
      rule.score(scoring, layer, scores);
    else
      incoming_magnitudes(context.device, context.networks.layout, parameters, layer, scores);
    edit.scores.push_back(scores.download());
  }
}

void choose_units(Edit& edit, const EditTime& time) {
  for (std::size_t layer = 0; layer < edit.before.layers(); ++layer) {
    const auto width = static_cast<std::size_t>(edit.before.full_width(layer));
    auto& choices = edit.choices.emplace_back();
    for (std::int32_t r = 0; r < edit.before.replicas(); ++r) {
      const auto scores = std::span(edit.scores[layer]).subspan(static_cast<std::size_t>(r) * width, width);
      choices.push_back(choose(edit, time, layer, r, scores));
      const auto old_mask = edit.before.mask(layer, r);
      std::vector<std::uint8_t> mask(old_mask.begin(), old_mask.end());
      for (const std::int32_t unit : choices.back().units) mask[static_cast<std::size_t>(unit)] ^= 1;
      edit.after.set_mask(layer, r, mask);
    }
  }
}

void apply_edit(Edit& edit, const EditTime& time, const EditContext& context, const GrowSettings& settings) {
  auto& pass = context.pass;
  const auto logits = pass.logits();
  pass.set_masks(edit.after);
  const Births births{edit.before, edit.after, context.seeds, edit.event};
  const auto& wanted = settings.interventions;
  for (const auto& entry : interventions())
    if (time.plan.method == Method::grow && entry.at_birth &&
        std::find(wanted.begin(), wanted.end(), entry.name) != wanted.end())
      edit.donors[entry.donor_name] =
          entry.at_birth({context.device, context.networks, births, settings.intervention, pass});
  edit.loss_after = pass.observe(context.networks.parameters, false);
  edit.logit_distance =
      logit_distance(logits, pass.logits(), static_cast<std::size_t>(edit.before.replicas()), pass.classes());
  if (time.plan.method == Method::prune)
    clear_moments_of_removed(context.device, edit.before, edit.after, context.networks);
}

void rewind_edit(Edit& edit, const EditContext& context, const RewindSettings& settings, View<const float> target) {
  if (settings.to == RewindSettings::To::none || (!settings.when_nothing && edit.changes_nothing())) return;
  rewind(context.device, settings, target, context.networks);
  edit.loss_rewound = context.pass.observe(context.networks.parameters, false);
}

}  // namespace cambium
