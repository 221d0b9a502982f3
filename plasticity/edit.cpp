#include "plasticity/edit.hpp"

#include <algorithm>

#include "plasticity/batch_means.hpp"
#include "plasticity/selection.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

// Scores every layer with score(layer, scores), and lets choose(layer, replica, scores) pick; the picked units change
// sides.
template <class Score, class Choose>
void choose_units(Device& device, Edit& edit, Score&& score, Choose&& choose) {
  for (std::size_t layer = 0; layer < edit.before.layers(); ++layer) {
    const auto width = static_cast<std::size_t>(edit.before.full_width(layer));
    Buffer<float> scores(device, edit.before.masks(layer).size());
    score(layer, scores.view());
    edit.scores.push_back(scores.download());
    auto& choices = edit.choices.emplace_back();
    for (std::int32_t r = 0; r < edit.before.replicas(); ++r) {
      const auto of_replica = std::span(edit.scores.back()).subspan(static_cast<std::size_t>(r) * width, width);
      choices.push_back(choose(layer, r, of_replica));
      const auto old_mask = edit.before.mask(layer, r);
      std::vector<std::uint8_t> mask(old_mask.begin(), old_mask.end());
      for (const std::int32_t unit : choices.back().units) mask[static_cast<std::size_t>(unit)] ^= 1;
      edit.after.set_mask(layer, r, mask);
    }
  }
}

}  // namespace

bool Edit::changes_nothing() const {
  for (const auto& layer : choices)
    for (const auto& choice : layer)
      if (!choice.units.empty()) return false;
  return true;
}

Edit grow(Device& device, const FullForm& networks, const Structure& before, const EditTime& time,
          std::span<const std::uint32_t> seeds, const Activation& activation, const GrowSettings& settings,
          ScoringPass& stage) {
  Edit edit{.event = static_cast<std::uint32_t>(time.event), .before = before, .after = before};
  const SelectionRule& rule = selection_rule(settings.rule);
  stage.set_masks(before);
  edit.loss_before = stage.look(networks.parameters, rule.needs_gradients);
  const auto logits = stage.logits();
  const ScoringContext scene{device, stage.network(), activation,   networks.parameters,
                             seeds,  edit.event,      stage.rows(), settings.tau};
  choose_units(
      device, edit, [&](std::size_t layer, View<float> scores) { rule.score(scene, layer, scores); },
      [&](std::size_t layer, std::int32_t r, std::span<const float> scores) {
        return highest_inactive(scores, before.mask(layer, r),
                                grow_count(before.active(layer, r), time.targets[layer], before.full_width(layer),
                                           time.event, time.plan.segments));
      });
  stage.set_masks(edit.after);
  const Births births{edit.before, edit.after, seeds, edit.event};
  for (const auto& entry : interventions())
    if (entry.at_birth && std::count(settings.interventions.begin(), settings.interventions.end(), entry.name) > 0)
      edit.donors[entry.donor_name] = entry.at_birth({device, networks, births, settings.intervention, stage});
  edit.loss_after = stage.look(networks.parameters, false);
  edit.logit_distance = logit_distance(logits, stage.logits(), seeds.size(), stage.classes());
  return edit;
}

Edit prune(Device& device, const FullForm& networks, const Structure& before, const EditTime& time,
           ScoringPass& stage) {
  Edit edit{.event = static_cast<std::uint32_t>(time.event), .before = before, .after = before};
  stage.set_masks(before);
  edit.loss_before = stage.look(networks.parameters, false);
  const auto logits = stage.logits();
  choose_units(
      device, edit,
      [&](std::size_t layer, View<float> scores) {
        incoming_magnitudes(device, networks.layout, networks.parameters, layer, scores);
      },
      [&](std::size_t layer, std::int32_t r, std::span<const float> scores) {
        return lowest_active(scores, before.mask(layer, r),
                             prune_count(before.active(layer, r), time.targets[layer], time.event, time.plan.segments));
      });
  stage.set_masks(edit.after);
  edit.loss_after = stage.look(networks.parameters, false);
  edit.logit_distance =
      logit_distance(logits, stage.logits(), static_cast<std::size_t>(before.replicas()), stage.classes());
  return edit;
}

}  // namespace cambium
