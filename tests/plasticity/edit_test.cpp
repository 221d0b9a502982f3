// Edits of R networks in their full form, against choices made by plain loops; rewinds and cleared moments.

#include "plasticity/edit.hpp"

#include <gmock/gmock.h>

#include "plasticity/moment_transplant.hpp"
#include "plasticity/net2wider.hpp"
#include "plasticity/rewind.hpp"
#include "plasticity/selection.hpp"
#include "selftest/naive_scores.hpp"
#include "tests/plasticity/event.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

constexpr std::uint32_t rows = 9;
const Activation rsl{.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 1.6f};

// Networks with two sets of moments before event 2 of 5 segments. Replicas have unequal numbers of active units.
struct Networks : Event {
  Activation activation;
  Batch batch;
  ScoringPass stage;
  std::vector<std::vector<float>> start_moments;
  EditTime time;

  Networks(const Architecture& architecture, const Activation& activation = {}, Method method = Method::grow)
      : Event(architecture),
        activation(activation),
        batch(random_batch(architecture, replicas(), rows, 1)),
        stage(device, layout, activation, seeds, rows),
        time{{method, 5}, 2, {}} {
    upload(device, batch.images, stage.input());
    upload(device, batch.labels, stage.labels());
    for (const std::uint32_t purpose : {11, 12}) {
      start_moments.push_back(conformance::random_values(layout.size, 1, purpose));
      moments.emplace_back(device, start_moments.back());
    }
    const bool growing = method == Method::grow;
    before = drawn_structure(architecture, seeds, growing ? 0.35f : 0.75f);
    for (const auto width : architecture.hidden) time.targets.push_back(growing ? width * 3 / 4 : width / 4);
  }

  // The first steps of an edit, without a change to the networks.
  Edit proposal(const GrowSettings& settings = {}) {
    const FullForm form = networks();
    Edit result = begin_edit(before, time);
    compute_scores(result, time, {device, form, seeds, activation, stage}, settings);
    choose_units(result, time);
    return result;
  }
  // All steps of an edit except a rewind.
  Edit edit(const GrowSettings& settings = {}) {
    Edit result = proposal(settings);
    const FullForm form = networks();
    apply_edit(result, time, {device, form, seeds, activation, stage}, settings);
    return result;
  }
  Edit grow(const GrowSettings& settings = {}) { return edit(settings); }
  Edit prune() { return edit(); }

  NaiveNetwork naive(const Structure& structure, std::size_t replica) const {
    return {layout, activation, structure, start, replica};
  }
  // What plain loops choose in a layer when the others have these masks.
  std::vector<std::int32_t> chosen(const std::string& rule, Structure others, std::size_t layer,
                                   std::size_t replica) const {
    const auto r = static_cast<std::int32_t>(replica);
    others.set_mask(layer, r, before.mask(layer, r));
    const auto network = naive(others, replica);
    const auto scores = naive_scores(rule, network, network.pass(batch), layer, double{GrowSettings{}.tau});
    const bool growing = time.plan.method == Method::grow;
    const std::int32_t active = before.active(layer, r), target = time.targets[layer];
    const std::int32_t count =
        growing ? grow_count(active, target, before.full_width(layer), 2, 5) : prune_count(active, target, 2, 5);
    return naive_choice(network, layer, scores, growing, count);
  }
  void expect_untouched() const {
    EXPECT_EQ(parameters.download(), start);
    for (std::size_t set = 0; set < moments.size(); ++set) EXPECT_EQ(moments[set].download(), start_moments[set]);
    EXPECT_THAT(steps, Each(7));
  }
  // The masks of an edit must be those of before but for the units it tells of.
  void expect_masks_of_choices(const Edit& edit) const {
    EXPECT_EQ(edit.before, before);
    const std::uint8_t now = time.plan.method == Method::grow ? 1 : 0;
    Structure expected = before;
    for (std::size_t l = 0; l < before.layers(); ++l)
      for (std::int32_t r = 0; r < before.replicas(); ++r) {
        std::vector<std::uint8_t> mask(before.mask(l, r).begin(), before.mask(l, r).end());
        for (const auto unit : edit.choices[l][static_cast<std::size_t>(r)].units) {
          EXPECT_NE(mask[static_cast<std::size_t>(unit)], now);
          mask[static_cast<std::size_t>(unit)] = now;
        }
        expected.set_mask(l, r, mask);
      }
    EXPECT_EQ(edit.after, expected);
  }
};

// Every choice of an edit against that of plain loops.
void expect_naive_choices(const Networks& networks, const Edit& edit, const std::string& rule) {
  ASSERT_EQ(edit.choices.size(), networks.before.layers());
  for (std::size_t l = 0; l < edit.choices.size(); ++l) {
    ASSERT_EQ(edit.choices[l].size(), networks.replicas());
    for (std::size_t r = 0; r < networks.replicas(); ++r) {
      const auto expected = networks.chosen(rule, networks.before, l, r);
      EXPECT_FALSE(expected.empty());
      EXPECT_EQ(edit.choices[l][r].units, expected) << rule << ", fc" << l + 1 << ", replica " << r;
    }
  }
}

class Edits : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(All, Edits, testing::Values(small_mlp, small_convnet), architecture_name);

TEST_P(Edits, GrowSelectsTheSameUnitsAsPlainLoopsWithTheOldMasks) {
  for (const auto& activation : {Activation{}, rsl})
    for (const auto& rule : selection_rule_names()) {
      if (rule == "random") continue;
      Networks networks(GetParam(), activation);
      const auto edit = networks.grow({.rule = rule});
      expect_naive_choices(networks, edit, rule);
      networks.expect_masks_of_choices(edit);
    }
}

// Without this, the test above would not notice layers that change one after the other.
TEST_P(Edits, ScoringWithNewMasksWouldSelectOtherUnits) {
  Networks networks(GetParam());
  const auto edit = networks.grow({.rule = "gradient"});
  int differences = 0;
  for (std::size_t l = 1; l < edit.choices.size(); ++l)
    for (std::size_t r = 0; r < networks.replicas(); ++r)
      differences += networks.chosen("gradient", edit.after, l, r) != edit.choices[l][r].units;
  EXPECT_GT(differences, 0);
}

TEST_P(Edits, GrowAtRandomSelectsTheHighestRandomScores) {
  Networks networks(GetParam());
  const auto edit = networks.grow({.rule = "random"});
  networks.expect_masks_of_choices(edit);
  for (std::size_t l = 0; l < edit.choices.size(); ++l)
    for (std::size_t r = 0; r < networks.replicas(); ++r) {
      Values scores;
      for (std::size_t j = 0; j < networks.width(l); ++j)
        scores.push_back(
            philox::uniform(philox::word({{networks.seeds[r], philox::random_scores}}, static_cast<std::uint32_t>(j),
                                         static_cast<std::uint32_t>(l), edit.event)));
      const auto count = static_cast<std::int32_t>(networks.chosen("magnitude", networks.before, l, r).size());
      EXPECT_EQ(edit.choices[l][r].units, naive_choice(networks.naive(networks.before, r), l, scores, true, count));
    }
}

TEST_P(Edits, GrowRemovesNoUnit) {
  Networks networks(GetParam());
  for (const auto& rule : selection_rule_names()) {
    const auto after = networks.grow({.rule = rule}).after;
    for (std::size_t l = 0; l < after.layers(); ++l)
      for (std::size_t i = 0; i < after.masks(l).size(); ++i)
        EXPECT_GE(after.masks(l)[i], networks.before.masks(l)[i]) << rule;
  }
}

TEST_P(Edits, GrowWithoutInterventionsChangesNoParameterAndNoMoment) {
  Networks networks(GetParam());
  const auto edit = networks.grow();
  EXPECT_FALSE(edit.changes_nothing());
  EXPECT_THAT(edit.donors, IsEmpty());
  networks.expect_untouched();
}

TEST_P(Edits, PruneSelectsTheActiveUnitsWithTheSmallestIncomingWeights) {
  Networks networks(GetParam(), {}, Method::prune);
  const auto edit = networks.prune();
  expect_naive_choices(networks, edit, "magnitude");
  networks.expect_masks_of_choices(edit);
}

TEST_P(Edits, ScoringAndChoosingForPruneChangeNoParameterAndNoMoment) {
  Networks networks(GetParam(), {}, Method::prune);
  EXPECT_FALSE(networks.proposal().changes_nothing());
  networks.expect_untouched();
}

TEST_P(Edits, ReportTheScoresOfAllUnits) {
  Networks growing(GetParam()), shrinking(GetParam(), {}, Method::prune);
  for (const auto& edit : {growing.grow({.rule = "gradmax"}), shrinking.prune()}) {
    ASSERT_EQ(edit.scores.size(), edit.before.layers());
    EXPECT_EQ(edit.event, 2u);
    for (std::size_t l = 0; l < edit.scores.size(); ++l) {
      ASSERT_EQ(edit.scores[l].size(), edit.before.masks(l).size());
      for (std::size_t r = 0; r < growing.replicas(); ++r) {
        const auto& choice = edit.choices[l][r];
        ASSERT_EQ(choice.scores.size(), choice.units.size());
        for (std::size_t i = 0; i < choice.units.size(); ++i)
          EXPECT_EQ(choice.scores[i], edit.scores[l][r * growing.width(l) + static_cast<std::size_t>(choice.units[i])]);
        EXPECT_TRUE(choice.runner_up.has_value());
      }
    }
  }
}

TEST_P(Edits, ReportLossBeforeAndAfterAndLogitDistance) {
  for (const auto method : {Method::grow, Method::prune}) {
    Networks networks(GetParam(), rsl, method);
    const auto edit = method == Method::grow ? networks.grow() : networks.prune();
    for (std::size_t r = 0; r < networks.replicas(); ++r) {
      const auto before = networks.naive(edit.before, r).pass(networks.batch),
                 after = networks.naive(edit.after, r).pass(networks.batch);
      EXPECT_NEAR(edit.loss_before[r], mean_loss(before), 2e-6);
      EXPECT_NEAR(edit.loss_after[r], mean_loss(after), 2e-6);
      EXPECT_NEAR(edit.logit_distance[r], logit_distance(before, after), 1e-5);
      EXPECT_GT(edit.logit_distance[r], 0.01);
      EXPECT_GT(std::abs(mean_loss(before) - mean_loss(after)), 1e-4);
    }
    EXPECT_THAT(edit.loss_rewound, IsEmpty());
  }
}

TEST_P(Edits, AtTheTargetsChangeNothing) {
  for (const auto method : {Method::grow, Method::prune}) {
    Networks networks(GetParam(), {}, method);
    // GROW has at least so many active in every replica, PRUNE at most.
    for (std::size_t l = 0; l < networks.before.layers(); ++l)
      networks.time.targets[l] = method == Method::grow ? 1 : networks.before.full_width(l);
    const auto edit = method == Method::grow ? networks.grow({.interventions = {"net2wider", "moment_transplant"}})
                                             : networks.prune();
    EXPECT_TRUE(edit.changes_nothing());
    EXPECT_EQ(edit.after, networks.before);
    EXPECT_EQ(edit.loss_after, edit.loss_before);
    EXPECT_THAT(edit.logit_distance, Each(0.0));
    networks.expect_untouched();
  }
}

TEST_P(Edits, ThatChangeOneUnitOfOneReplicaChangeSomething) {
  Networks networks(GetParam());
  for (std::size_t l = 0; l < networks.before.layers(); ++l) networks.time.targets[l] = 1;
  const std::size_t last = networks.before.layers() - 1;
  networks.before.set_mask(last, 0, std::vector<std::uint8_t>(networks.width(last), 1));
  networks.time.targets[last] = networks.before.active(last, 1) + 1;
  EXPECT_FALSE(networks.grow().changes_nothing());
}

TEST_P(Edits, Net2WiderKeepsTheLoss) {
  for (const auto& activation : {Activation{}, rsl}) {
    Networks vanilla(GetParam(), activation), widened(GetParam(), activation);
    GrowSettings settings{.interventions = {"net2wider"}};
    settings.intervention.net2wider_epsilon = 0;
    const auto moved = vanilla.grow(), kept = widened.grow(settings);
    EXPECT_EQ(moved.after, kept.after);
    EXPECT_THAT(kept.donors, ElementsAre(Key("donor")));
    for (std::size_t r = 0; r < widened.replicas(); ++r) {
      EXPECT_NEAR(kept.loss_after[r], kept.loss_before[r], 1e-6);
      EXPECT_LT(kept.logit_distance[r], 1e-5);
      EXPECT_GT(moved.logit_distance[r], 0.01);
    }
  }
}

TEST_P(Edits, Net2WiderAddsNoiseOfTheConfiguredSize) {
  Networks networks(GetParam()), expected(GetParam());
  GrowSettings settings{.interventions = {"net2wider"}};
  settings.intervention.net2wider_epsilon = 0.25f;
  const auto edit = networks.grow(settings);
  expected.after = edit.after;
  const Births births{expected.before, expected.after, expected.seeds, edit.event};
  const auto donors = widen(expected.device, expected.networks(), births);
  EXPECT_EQ(edit.donors.at("donor"), donors);
  EXPECT_NE(networks.parameters.download(), expected.parameters.download());
  add_insertion_noise(expected.device, expected.networks(), births, donors, 0.25f);
  EXPECT_EQ(networks.parameters.download(), expected.parameters.download());
}

TEST_P(Edits, MomentTransplantChangesMomentsAndNoParameter) {
  Networks networks(GetParam()), expected(GetParam());
  const auto edit = networks.grow({.interventions = {"moment_transplant"}});
  EXPECT_THAT(edit.donors, ElementsAre(Key("moment_donor")));
  EXPECT_EQ(networks.parameters.download(), networks.start);
  transplant_moments(expected.device, expected.networks(), {expected.before, edit.after, expected.seeds, edit.event});
  for (std::size_t set = 0; set < 2; ++set) {
    EXPECT_EQ(networks.moments[set].download(), expected.moments[set].download());
    EXPECT_NE(networks.moments[set].download(), networks.start_moments[set]);
  }
  EXPECT_THAT(networks.steps, Each(7));
}

// A copy is most similar to the incumbent it was made of, so moments come from there when they come second.
TEST_P(Edits, InterventionsActInTheOrderOfTheTable) {
  for (const auto& names : {std::vector<std::string>{"net2wider", "moment_transplant"},
                            std::vector<std::string>{"two_speed", "moment_transplant", "net2wider"}}) {
    Networks networks(GetParam());
    GrowSettings settings{.interventions = names};
    settings.intervention.net2wider_epsilon = 0;
    const auto edit = networks.grow(settings);
    EXPECT_THAT(edit.donors, UnorderedElementsAre(Key("donor"), Key("moment_donor")));
    EXPECT_EQ(edit.donors.at("moment_donor"), edit.donors.at("donor"));
  }
}

TEST_P(Edits, TwoSpeedDoesNothingAtBirth) {
  Networks networks(GetParam());
  const auto edit = networks.grow({.interventions = {"two_speed"}});
  EXPECT_FALSE(edit.changes_nothing());
  EXPECT_THAT(edit.donors, IsEmpty());
  networks.expect_untouched();
}

TEST_P(Edits, GiveTheSameBitsInWorkGroupsOfAnySize) {
  std::vector<Edit> grown, pruned;
  for (const std::size_t group : {0, 1, 7, 256}) {
    shared_device().set_work_group_size(group);
    grown.push_back(Networks(GetParam()).grow({.rule = "gradmax"}));
    pruned.push_back(Networks(GetParam(), {}, Method::prune).prune());
  }
  shared_device().set_work_group_size(0);
  for (const auto* edits : {&grown, &pruned})
    for (const auto& edit : *edits) {
      EXPECT_EQ(edit.scores, edits->front().scores);
      EXPECT_EQ(edit.after, edits->front().after);
    }
}

// ---- rewinds

// Layers by the names of their parameters.
std::vector<std::string> layers_of(const ParameterLayout& layout, RewindSettings::Scope scope) {
  std::vector<std::string> names;
  for (const auto& shape : layout.architecture.layers())
    if (scope == RewindSettings::Scope::all || !shape.convolution) names.push_back(shape.name);
  if (scope == RewindSettings::Scope::masked) names.pop_back();
  return names;
}

class Rewinds : public testing::TestWithParam<std::tuple<Architecture, RewindSettings::Scope>> {
 protected:
  Networks networks{std::get<0>(GetParam()), {}, Method::prune};
  RewindSettings::Scope scope = std::get<1>(GetParam());
  std::vector<std::string> inside = layers_of(networks.layout, scope);
  std::vector<float> earlier = conformance::random_values(networks.layout.size, 3, 1);
  Buffer<float> target{networks.device, earlier};

  bool is_inside(const std::string& parameter) const {
    return std::count(inside.begin(), inside.end(), parameter.substr(0, parameter.find('.'))) > 0;
  }
  // Values must be `rewound` inside of the scope and `kept` outside of it.
  void expect_rewound(const std::vector<float>& values, const std::vector<float>& rewound,
                      const std::vector<float>& kept) const {
    const auto now = to_state_dict(networks.layout, values), new_ones = to_state_dict(networks.layout, rewound),
               old_ones = to_state_dict(networks.layout, kept);
    for (std::size_t t = 0; t < now.size(); ++t)
      EXPECT_EQ(now[t].values, (is_inside(now[t].name) ? new_ones : old_ones)[t].values) << now[t].name;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Rewinds,
                         testing::Combine(testing::Values(small_mlp, small_convnet),
                                          testing::Values(RewindSettings::Scope::all, RewindSettings::Scope::head,
                                                          RewindSettings::Scope::masked)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + "_" + name_of(std::get<1>(test.param));
                         });

TEST_P(Rewinds, RestoreTheParametersOfTheirScopeAndNoOthers) {
  rewind(networks.device, {.scope = scope}, target, networks.networks());
  expect_rewound(networks.parameters.download(), earlier, networks.start);
}

TEST_P(Rewinds, ResetTheOptimiserInTheirScopeOnly) {
  rewind(networks.device, {.scope = scope}, target, networks.networks());
  const std::vector<float> zeros(networks.layout.size, 0.0f);
  for (std::size_t set = 0; set < 2; ++set)
    expect_rewound(networks.moments[set].download(), zeros, networks.start_moments[set]);
  const auto layers = networks.architecture.layers();
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (std::size_t r = 0; r < 2; ++r)
      EXPECT_EQ(networks.steps[l * 2 + r], is_inside(layers[l].name) ? 0u : 7u) << layers[l].name;
}

TEST_P(Rewinds, KeepTheOptimiserStateIfConfigured) {
  rewind(networks.device, {.scope = scope, .optimizer = false}, target, networks.networks());
  for (std::size_t set = 0; set < 2; ++set) EXPECT_EQ(networks.moments[set].download(), networks.start_moments[set]);
  EXPECT_THAT(networks.steps, Each(7));
  expect_rewound(networks.parameters.download(), earlier, networks.start);
}

TEST_P(Rewinds, DoNotChangeTheirTarget) {
  rewind(networks.device, {.scope = scope}, target, networks.networks());
  EXPECT_EQ(target.download(), earlier);
}

TEST_P(Edits, PruneAndARewindToTheStartRestoreEveryParameter) {
  Networks networks(GetParam(), {}, Method::prune);
  const Buffer<float> first(networks.device, networks.start);
  networks.parameters.upload(conformance::random_values(networks.layout.size, 4, 1));
  networks.prune();
  rewind(networks.device, {}, first, networks.networks());
  const auto now = to_state_dict(networks.layout, networks.parameters.download()),
             start = to_state_dict(networks.layout, networks.start);
  for (std::size_t t = 0; t < now.size(); ++t) EXPECT_EQ(now[t].values, start[t].values) << now[t].name;
}

// ---- moments of removed units

TEST_P(Edits, PruneClearsTheMomentsOfRemovedUnitsAndNoOthers) {
  for (const std::size_t group : {0, 1, 7}) {
    Networks networks(GetParam(), {}, Method::prune);
    networks.device.set_work_group_size(group);
    const auto edit = networks.prune();
    networks.device.set_work_group_size(0);
    for (std::size_t set = 0; set < 2; ++set) {
      HostValues expected(networks.layout, networks.start_moments[set]);
      for (std::size_t l = 0; l < edit.choices.size(); ++l)
        for (std::size_t r = 0; r < networks.replicas(); ++r)
          for (const auto unit : edit.choices[l][r].units) {
            const auto j = static_cast<std::size_t>(unit);
            const auto incoming = expected.weights(l, r), outgoing = expected.weights(l + 1, r);
            for (std::size_t i = 0; i < incoming.inputs; ++i) incoming(j, i) = 0;
            expected.bias(l, r)(j) = 0;
            const auto consumers =
                static_cast<std::size_t>(networks.layout.layers[GetParam().trunk.size() + l + 1].units);
            for (std::size_t k = 0; k < consumers; ++k) outgoing(k, j) = 0;
          }
      const HostValues found(networks.layout, networks.moments[set].download());
      for (std::size_t t = 0; t < found.tensors.size(); ++t)
        EXPECT_EQ(found.tensors[t].values, expected.tensors[t].values) << found.tensors[t].name;
    }
    EXPECT_EQ(networks.parameters.download(), networks.start);
  }
}

TEST_P(Edits, MomentsOfUnitsThatWereNeverActiveStay) {
  Networks networks(GetParam(), {}, Method::prune);
  clear_moments_of_removed(networks.device, networks.before, networks.before, networks.networks());
  // Neither do newborns count as removed.
  clear_moments_of_removed(networks.device, networks.before, Structure(GetParam(), 2), networks.networks());
  networks.expect_untouched();
}

TEST_P(Edits, PruneWorksWithoutMoments) {
  Networks networks(GetParam(), {}, Method::prune);
  networks.moments.clear();
  networks.prune();
  EXPECT_EQ(networks.parameters.download(), networks.start);
}

// ---- the table of interventions

TEST(Interventions, AreFoundByName) {
  EXPECT_THAT(intervention_names(), ElementsAre("net2wider", "moment_transplant", "two_speed"));
  for (const auto& name : intervention_names()) EXPECT_EQ(intervention(name).name, name);
}

TEST(Interventions, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THAT(refusal([] { intervention("three_speed"); }),
              AllOf(HasSubstr("three_speed"), HasSubstr("net2wider, moment_transplant, two_speed")));
}

TEST(Interventions, OnlyMomentTransplantNeedsMoments) {
  const OptimizerSettings sgd, momentum{.momentum = 0.9f}, adam{.kind = OptimizerSettings::Kind::adam};
  const auto& transplant = intervention("moment_transplant");
  EXPECT_THAT(transplant.why_not(sgd), HasSubstr("no moments"));
  EXPECT_EQ(transplant.why_not(momentum), "");
  EXPECT_EQ(transplant.why_not(adam), "");
  EXPECT_EQ(intervention("net2wider").why_not, nullptr);
  EXPECT_EQ(intervention("two_speed").why_not, nullptr);
}

TEST(Interventions, OnlyTwoSpeedMakesNewbornsFaster) {
  const InterventionSettings settings{.two_speed_factor = 3.0f, .two_speed_steps = 11};
  EXPECT_EQ(intervention("two_speed").speed(settings).factor, 3.0f);
  EXPECT_EQ(intervention("two_speed").speed(settings).steps, 11u);
  EXPECT_EQ(intervention("net2wider").speed, nullptr);
  EXPECT_EQ(intervention("moment_transplant").speed, nullptr);
}

}  // namespace
}  // namespace cambium
