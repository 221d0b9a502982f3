// Selection rules against plain loops in double precision, on full-width networks with masks.

#include "plasticity/selection.hpp"

#include <gmock/gmock.h>

#include "plasticity/scores.hpp"
#include "plasticity/scoring_pass.hpp"
#include "selftest/naive_scores.hpp"
#include "tests/plasticity/event.hpp"
#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t rows = 9;
constexpr float tau = 0.05f;

// A scoring pass with the masks before an event.
struct Scoring {
  Event event;
  Activation activation;
  Batch batch;
  ScoringPass stage;

  Scoring(const Architecture& architecture, const Activation& activation, std::vector<std::uint32_t> seeds = {1, 2})
      : event(architecture, std::move(seeds)),
        activation(activation),
        batch(random_batch(architecture, event.replicas(), rows, 1)),
        stage(event.device, event.layout, this->activation, event.seeds, rows) {
    stage.set_masks(event.before);
  }
  void load_batch() {
    upload(event.device, batch.images, stage.input());
    upload(event.device, batch.labels, stage.labels());
  }
  ScoringContext context(bool gradients, float above = tau) {
    load_batch();
    stage.observe(event.parameters, gradients);
    return {event.device,     stage.network(), stage.pass(), activation,
            event.parameters, event.seeds,     event.number, above};
  }
  // (R, full width)
  std::vector<float> scores(const SelectionRule& rule, std::size_t layer, float above = tau) {
    Buffer<float> values(event.device, event.before.masks(layer).size());
    values.upload(std::vector<float>(values.size(), -7.0f));
    rule.score(context(rule.needs_gradients, above), layer, values);
    return values.download();
  }
  NaiveNetwork naive(std::size_t replica) const {
    return {event.layout, activation, event.before, event.start, replica};
  }
};

class Selection : public testing::TestWithParam<std::tuple<Architecture, Activation>>, public Scoring {
 protected:
  Selection() : Scoring(std::get<0>(GetParam()), std::get<1>(GetParam())) {}

  // Every score against naive_scores(), with an error of so much of the layer's largest.
  void expect_naive_scores(const std::string& rule, double tolerance) {
    std::vector<std::vector<NaiveRow>> passes;
    for (std::size_t r = 0; r < event.replicas(); ++r) passes.push_back(naive(r).pass(batch));
    for (const std::size_t group : {0, 1, 7, 32, 256}) {
      event.device.set_work_group_size(group);
      for (std::size_t l = 0; l < event.before.layers(); ++l) {
        const auto found = scores(selection_rule(rule), l);
        for (std::size_t r = 0; r < event.replicas(); ++r) {
          const auto expected = naive_scores(rule, naive(r), passes[r], l, tau);
          const double largest = *std::max_element(expected.begin(), expected.end());
          EXPECT_GT(largest, 1e-4);
          for (std::size_t j = 0; j < expected.size(); ++j)
            EXPECT_NEAR(found[r * expected.size() + j], expected[j], tolerance * largest)
                << "fc" << l + 1 << ", replica " << r << ", unit " << j << ", groups of " << group;
        }
      }
    }
    event.device.set_work_group_size(0);
  }
};

std::string name_of(const testing::TestParamInfo<std::tuple<Architecture, Activation>>& test) {
  const auto& [architecture, activation] = test.param;
  const char* const kinds[] = {"relu", "smooth_leaky", "rsl"};
  return architecture.name + "_" + kinds[static_cast<int>(activation.kind)];
}
const Activation relu;
const Activation smooth{.kind = Activation::Kind::smooth_leaky, .c = 2.0f, .p = 0.8f, .alpha = 0.2f};
const Activation rsl{.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 1.6f};
INSTANTIATE_TEST_SUITE_P(All, Selection,
                         testing::Combine(testing::Values(small_mlp, small_convnet),
                                          testing::Values(relu, smooth, rsl)),
                         name_of);

// Whether an output that is tau but for rounding counts is left open.
TEST_P(Selection, ActivationIsTheShareOfImagesWithOutputsAboveTau) {
  for (const std::size_t group : {0, 1, 7, 32, 256})
    for (const float above : {0.01f, tau}) {
      event.device.set_work_group_size(group);
      for (std::size_t l = 0; l < event.before.layers(); ++l) {
        const auto found = scores(selection_rule("activation"), l, above);
        for (std::size_t r = 0; r < event.replicas(); ++r) {
          const auto passes = naive(r).pass(batch);
          int all = 0;
          for (std::size_t j = 0; j < event.width(l); ++j) {
            const double count = double{found[r * event.width(l) + j]} * rows;
            all += images_above(passes, l, j, double{above});
            EXPECT_GE(count, images_above(passes, l, j, double{above} + 1e-5) - 1e-5) << l << " " << r << " " << j;
            EXPECT_LE(count, images_above(passes, l, j, double{above} - 1e-5) + 1e-5) << l << " " << r << " " << j;
          }
          EXPECT_GT(all, 0);
        }
      }
    }
  event.device.set_work_group_size(0);
}

TEST_P(Selection, GradientIsTheMeanSizeOfTheGradientThatAUnitWouldGet) { expect_naive_scores("gradient", 3e-6); }

TEST_P(Selection, GradMaxIsTheNormOfTheGradientThatAUnitsParametersWouldGet) { expect_naive_scores("gradmax", 3e-6); }

TEST_P(Selection, MagnitudeIsTheMeanSizeOfAllIncomingWeights) { expect_naive_scores("magnitude", 1e-6); }

// Forward with the mask, backward as if it were 1: a nudge of the pre-activation goes past the mask.
TEST_P(Selection, CounterfactualGradientsEqualFiniteDifferencesWithoutTheMask) {
  constexpr double step = 1e-6;
  const auto seen = context(true);
  for (std::size_t l = 0; l < event.before.layers(); ++l) {
    const auto gradient = counterfactual(seen, l).gradient.download();
    double largest = 0, largest_inactive = 0;
    for (const float value : gradient) largest = std::max(largest, std::abs(double{value}));
    for (std::size_t r = 0; r < event.replicas(); ++r) {
      const auto network = naive(r);
      for (std::size_t row = 0; row < rows; ++row) {
        const auto image = network.image(batch, row);
        const auto label = batch.labels[r * rows + row];
        const auto here = network.pass(image, label).layers[l].pre_activation;
        for (std::size_t j = 0; j < event.width(l); ++j) {
          if (std::abs(here[j]) < 1e-5) continue;  // the kink of relu
          const double up = network.pass(image, label, Nudge{l, j, step}).loss,
                       down = network.pass(image, label, Nudge{l, j, -step}).loss;
          const double found = gradient[(r * rows + row) * event.width(l) + j];
          EXPECT_NEAR(found, (up - down) / (2 * step), 3e-6 * largest + 1e-9) << l << " " << r << " " << j;
          if (!event.incumbent(l, r, j)) largest_inactive = std::max(largest_inactive, std::abs(found));
        }
      }
    }
    EXPECT_GT(largest_inactive, 0.1 * largest);
  }
}

TEST_P(Selection, CounterfactualGradientsOfActiveUnitsEqualOrdinaryGradients) {
  const auto seen = context(true);
  for (std::size_t l = 0; l < event.before.layers(); ++l) {
    const auto gradient = counterfactual(seen, l).gradient.download(),
               ordinary = download(event.device, stage.network().observed(stage.pass(), l).pre_activation_gradient);
    ASSERT_EQ(gradient.size(), ordinary.size());
    for (std::size_t i = 0; i < gradient.size(); ++i)
      if (event.incumbent(l, i / event.width(l) / rows, i % event.width(l))) {
        EXPECT_EQ(gradient[i], ordinary[i]) << l << " " << i;
      } else {
        EXPECT_EQ(ordinary[i], 0.0f) << l << " " << i;
      }
  }
}

TEST_P(Selection, CounterfactualOutputsAreNotMasked) {
  const auto seen = context(true);
  for (std::size_t l = 0; l < event.before.layers(); ++l) {
    const auto output = counterfactual(seen, l).output.download();
    for (std::size_t r = 0; r < event.replicas(); ++r) {
      const auto passes = naive(r).pass(batch);
      for (std::size_t i = 0; i < rows * event.width(l); ++i)
        EXPECT_NEAR(output[r * rows * event.width(l) + i],
                    passes[i / event.width(l)].layers[l].output[i % event.width(l)], 3e-6);
    }
  }
}

TEST_P(Selection, AReplicaHasTheSameScoresAloneAndBesideOthers) {
  const std::vector<std::uint32_t> seeds{7, 8, 9};
  Scoring together(event.architecture, activation, seeds);
  for (std::size_t r = 0; r < seeds.size(); ++r) {
    Scoring alone(event.architecture, activation, {seeds[r]});
    const auto pixels = static_cast<std::ptrdiff_t>(alone.batch.images.size());
    const auto at = static_cast<std::ptrdiff_t>(r);
    const auto& all = together.batch;
    alone.batch.images.assign(all.images.begin() + at * pixels, all.images.begin() + (at + 1) * pixels);
    alone.batch.labels.assign(all.labels.begin() + at * rows, all.labels.begin() + (at + 1) * rows);
    for (const auto& rule : selection_rules())
      for (std::size_t l = 0; l < event.before.layers(); ++l) {
        const auto one = alone.scores(rule, l), among = together.scores(rule, l);
        EXPECT_TRUE(
            std::equal(one.begin(), one.end(), among.begin() + at * static_cast<std::ptrdiff_t>(event.width(l))))
            << rule.name << " of fc" << l + 1 << ", replica " << r;
      }
  }
}

TEST(RandomSelection, IsDrawnFromTheStreamOfTheSeed) {
  Scoring scoring(small_mlp, relu);
  for (std::size_t l = 0; l < 2; ++l) {
    const auto found = scoring.scores(selection_rule("random"), l);
    const std::size_t width = scoring.event.width(l);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto unit = static_cast<std::uint32_t>(i % width);
      const auto words = philox::generate({{unit / 4, static_cast<std::uint32_t>(l), scoring.event.number, 0}},
                                          {{scoring.event.seeds[i / width], philox::random_scores}});
      EXPECT_EQ(found[i], static_cast<float>(words.word[unit % 4] >> 8) / 16777216.0f);
    }
  }
}

TEST(RandomSelection, DiffersBetweenEvents) {
  Scoring first(small_mlp, relu), second(small_mlp, relu);
  ++second.event.number;
  EXPECT_NE(first.scores(selection_rule("random"), 0), second.scores(selection_rule("random"), 0));
}

TEST(SelectionRules, AreFoundByName) {
  EXPECT_THAT(selection_rule_names(), ElementsAre("activation", "gradient", "gradmax", "random", "magnitude"));
  for (const auto& name : selection_rule_names()) EXPECT_EQ(selection_rule(name).name, name);
}

TEST(SelectionRules, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THAT(refusal([] { selection_rule("activations"); }),
              AllOf(HasSubstr("activations"), HasSubstr("activation, gradient, gradmax, random, magnitude")));
}

class ScoringPasses : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(All, ScoringPasses, testing::Values(small_mlp, small_convnet), architecture_name);

TEST_P(ScoringPasses, LossUsesTheCurrentMasks) {
  Scoring scoring(GetParam(), rsl);
  scoring.load_batch();
  for (const auto* structure : {&scoring.event.before, &scoring.event.after, &scoring.event.before}) {
    scoring.stage.set_masks(*structure);
    for (const bool gradients : {true, false}) {
      const auto loss = scoring.stage.observe(scoring.event.parameters, gradients);
      for (std::size_t r = 0; r < scoring.event.replicas(); ++r) {
        const NaiveNetwork network(scoring.event.layout, rsl, *structure, scoring.event.start, r);
        EXPECT_NEAR(loss[r], mean_loss(network.pass(scoring.batch)), 2e-6);
      }
    }
  }
}

TEST_P(ScoringPasses, GradientsDoNotOverwriteTheLogits) {
  Scoring scoring(GetParam(), relu);
  scoring.context(false);
  const auto logits = scoring.stage.logits();
  scoring.context(true);
  EXPECT_EQ(scoring.stage.logits(), logits);
  EXPECT_THAT(logits, testing::Not(Each(0.0f)));
}

TEST_P(ScoringPasses, ParametersAreNotChanged) {
  Scoring scoring(GetParam(), relu);
  scoring.context(true);
  EXPECT_EQ(scoring.event.parameters.download(), scoring.event.start);
}

}  // namespace
}  // namespace cambium
