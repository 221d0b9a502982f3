// Signals of units against a network of plain loops in double precision, at full width with masks; the observer works
// on the live layout.

#include "plasticity/signals.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "selftest/naive_signals.hpp"
#include "tests/plasticity/event.hpp"

namespace cambium {
namespace {

constexpr float tau = 0.05f;
constexpr std::uint32_t rows = 9;
const std::vector<std::uint32_t> seeds{4, 5, 6};
const std::size_t replicas = seeds.size();

const Activation relu;
const Activation smooth{.kind = Activation::Kind::smooth_leaky, .c = 2.0f, .p = 0.8f, .alpha = 0.2f};
const Activation rsl{.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 1.6f};

// Unequal numbers of active units, also among replicas of equal ones.
Structure ragged(const Architecture& architecture) {
  Structure all(architecture, static_cast<std::int32_t>(replicas));
  for (std::size_t r = 0; r < replicas; ++r) {
    std::vector<std::int32_t> active;
    for (const auto width : architecture.hidden) active.push_back(width / 2 + static_cast<std::int32_t>(r % 2) * 3);
    const auto one = random_structure(architecture, std::span(&seeds[r], 1), active);
    for (std::size_t l = 0; l < all.layers(); ++l) all.set_mask(l, static_cast<std::int32_t>(r), one.mask(l, 0));
  }
  return all;
}

// Live networks with their observer.
struct Live {
  Device& device = shared_device();
  Architecture architecture;
  Compaction compaction;
  std::vector<float> initial = initial_parameters(compaction.full(), Initialisation::kaiming_stock, seeds);
  PairedValues parameters = compaction.make_values(), reference = compaction.make_values();
  std::vector<float> reference_values = conformance::random_values(compaction.full().size, 3, 3);
  Observer observer;

  Live(const Architecture& architecture, const Activation& activation)
      : architecture(architecture),
        compaction(device, architecture, ragged(architecture)),
        observer(device, compaction.live(), activation, seeds, units(), rows) {
    compaction.upload(initial, parameters);
    compaction.upload(reference_values, reference);
  }
  std::vector<View<const std::int32_t>> units() const {
    std::vector<View<const std::int32_t>> views;
    for (std::size_t l = 0; l < compaction.structure().layers(); ++l) views.push_back(compaction.units(l));
    return views;
  }
  Observation observe(const Batch& batch, std::uint32_t count = rows, bool with_reference = true) {
    upload(device, batch.images, observer.input(count));
    const Buffer<std::int32_t> labels(device, batch.labels);
    return observer.observe(parameters.live, labels, count, tau,
                            with_reference ? reference.live.view() : View<float>());
  }
  NaiveNetwork naive(const Activation& activation, std::size_t replica) const {
    return {compaction.full(), activation, compaction.structure(), initial, replica};
  }
  std::vector<UnitSignals> activity(const Batch& batch, std::uint32_t count = rows) {
    upload(device, batch.images, observer.input(count));
    const Buffer<std::int32_t> labels(device, batch.labels);
    return observer.observe_activity(parameters.live, labels, count, tau);
  }
};

class Signals : public testing::TestWithParam<std::tuple<Architecture, Activation>> {
 protected:
  const Architecture& architecture = std::get<0>(GetParam());
  const Activation& activation = std::get<1>(GetParam());
  Batch batch = random_batch(architecture, replicas, rows, 1);
};

TEST_P(Signals, EqualPlainLoopsForAnyWorkGroupSize) {
  Live live(architecture, activation);
  std::vector<std::vector<std::vector<NaiveSignals>>> reference;
  for (std::size_t r = 0; r < replicas; ++r) {
    const auto network = live.naive(activation, r);
    reference.push_back(naive_signals(network, network.pass(batch), tau, live.reference_values));
  }
  for (const std::size_t group : {1, 7, 32, 256}) {
    live.device.set_work_group_size(group);
    const auto seen = live.observe(batch);
    live.device.set_work_group_size(0);
    ASSERT_EQ(seen.layers.size(), architecture.hidden.size());
    for (const auto& [name, signal, expected] : all_signals)
      for (std::size_t l = 0; l < seen.layers.size(); ++l) {
        const auto& values = seen.layers[l].*signal;
        const auto numbers = live.compaction.structure().live_units(l);
        ASSERT_EQ(values.size(), numbers.size()) << name;
        const std::size_t width = numbers.size() / replicas;
        Values wanted;
        for (std::size_t i = 0; i < numbers.size(); ++i)
          wanted.push_back(numbers[i] < 0 ? 0.0
                                          : reference[i / width][l][static_cast<std::size_t>(numbers[i])].*expected);
        const double largest = *std::max_element(wanted.begin(), wanted.end());
        EXPECT_GT(largest, 1e-4) << name;
        for (std::size_t i = 0; i < numbers.size(); ++i)
          EXPECT_NEAR(values[i], wanted[i], (numbers[i] < 0 ? 0 : 3e-6) * largest)
              << name << " of fc" << l + 1 << ", " << i;
      }
  }
}

TEST_P(Signals, LossAndLogitsEqualPlainLoops) {
  Live live(architecture, activation);
  const auto seen = live.observe(batch);
  ASSERT_EQ(seen.classes, 10u);
  ASSERT_EQ(seen.logits.size(), replicas * rows * 10);
  for (std::size_t r = 0; r < replicas; ++r) {
    const auto expected = live.naive(activation, r).pass(batch);
    EXPECT_NEAR(seen.loss[r], mean_loss(expected), 2e-6);
    for (std::size_t i = 0; i < rows * 10; ++i)
      EXPECT_NEAR(seen.logits[r * rows * 10 + i], expected[i / 10].logits()[i % 10], 2e-6) << r << " " << i;
  }
}

TEST_P(Signals, ActivityAloneHasTheSameBits) {
  Live live(architecture, activation);
  const auto all = live.observe(batch).layers;
  const auto some = Live(architecture, activation).activity(batch), again = live.activity(batch);
  ASSERT_EQ(some.size(), all.size());
  for (std::size_t l = 0; l < all.size(); ++l) {
    EXPECT_EQ(some[l].activation_rate, all[l].activation_rate);
    EXPECT_EQ(some[l].gradient_magnitude, all[l].gradient_magnitude);
    EXPECT_EQ(some[l].mean_output, all[l].mean_output);
    EXPECT_EQ(again[l].gradient_magnitude, all[l].gradient_magnitude);
    EXPECT_TRUE(some[l].incoming_norm.empty());
  }
}

TEST_P(Signals, DoNotChangeTheParameters) {
  Live live(architecture, activation);
  const auto before = live.parameters.live.download();
  live.observe(batch);
  live.activity(batch);
  EXPECT_EQ(live.parameters.live.download(), before);
}

// A smaller batch lies elsewhere in the buffers, so padding meets what a larger one left there.
TEST_P(Signals, DoNotDependOnTheBatchBefore) {
  Live fresh(architecture, activation), used(architecture, activation);
  const auto small = random_batch(architecture, replicas, 4, 2);
  used.observe(batch);
  const auto expected = fresh.observe(small, 4), seen = used.observe(small, 4);
  EXPECT_EQ(seen.loss, expected.loss);
  EXPECT_EQ(seen.logits, expected.logits);
  for (std::size_t l = 0; l < seen.layers.size(); ++l)
    for (const auto& [name, signal, _] : all_signals)
      EXPECT_EQ(seen.layers[l].*signal, expected.layers[l].*signal) << name << " of fc" << l + 1;
}

std::string name_of(const testing::TestParamInfo<std::tuple<Architecture, Activation>>& test) {
  const auto& [architecture, activation] = test.param;
  const char* const kinds[] = {"relu", "smooth_leaky", "rsl"};
  return architecture.name + "_" + kinds[static_cast<int>(activation.kind)];
}
INSTANTIATE_TEST_SUITE_P(All, Signals,
                         testing::Combine(testing::Values(small_mlp, small_convnet),
                                          testing::Values(relu, smooth, rsl)),
                         name_of);

TEST(UnitSignals, HaveNoDisplacementWithoutAReference) {
  Live live(small_mlp, relu);
  const auto seen = live.observe(random_batch(small_mlp, replicas, rows, 1), rows, false).layers[0];
  EXPECT_TRUE(seen.incoming_displacement.empty());
  EXPECT_TRUE(seen.outgoing_displacement.empty());
  EXPECT_FALSE(seen.incoming_norm.empty());
}

TEST(UnitSignals, AReplicaHasTheSameBitsAloneAndBesideOthers) {
  Live together(small_convnet, smooth);
  const auto batch = random_batch(small_convnet, replicas, rows, 1);
  const auto all = together.observe(batch);
  auto& device = shared_device();
  for (std::size_t r = 0; r < replicas; ++r) {
    const auto structure = ragged(small_convnet);
    Structure own(small_convnet, 1);
    for (std::size_t l = 0; l < own.layers(); ++l) own.set_mask(l, 0, structure.mask(l, static_cast<std::int32_t>(r)));
    const Compaction compaction(device, small_convnet, own);
    PairedValues parameters = compaction.make_values();
    compaction.upload(initial_parameters(compaction.full(), Initialisation::kaiming_stock, std::span(&seeds[r], 1)),
                      parameters);
    std::vector<View<const std::int32_t>> units;
    for (std::size_t l = 0; l < own.layers(); ++l) units.push_back(compaction.units(l));
    Observer observer(device, compaction.live(), smooth, std::span(&seeds[r], 1), units, rows);
    const std::size_t pixels = batch.images.size() / replicas;
    upload(device,
           std::vector<float>(batch.images.begin() + static_cast<std::ptrdiff_t>(r * pixels),
                              batch.images.begin() + static_cast<std::ptrdiff_t>((r + 1) * pixels)),
           observer.input(rows));
    const Buffer<std::int32_t> labels(
        device, std::vector<std::int32_t>(batch.labels.begin() + static_cast<std::ptrdiff_t>(r * rows),
                                          batch.labels.begin() + static_cast<std::ptrdiff_t>((r + 1) * rows)));
    const auto alone = observer.observe(parameters.live, labels, rows, tau);
    EXPECT_EQ(alone.loss[0], all.loss[r]);
    for (std::size_t l = 0; l < own.layers(); ++l)
      for (const auto& [name, signal, _] : all_signals) {
        const auto& values = alone.layers[l].*signal;
        const auto& among = all.layers[l].*signal;
        if (values.empty()) continue;  // displacement
        EXPECT_TRUE(std::equal(values.begin(), values.end(),
                               among.begin() + static_cast<std::ptrdiff_t>(r * among.size() / replicas)))
            << name << " of fc" << l + 1 << ", replica " << r;
      }
  }
}

TEST(UnitSignals, AreAveragedOverBatchesUnitByUnit) {
  const std::vector<std::vector<UnitSignals>> batches{
      {{.activation_rate = {0.5f, 0}, .gradient_magnitude = {1, 2}, .mean_output = {-1, 0}}},
      {{.activation_rate = {1, 0}, .gradient_magnitude = {2, 2}, .mean_output = {3, 1}}}};
  const auto means = mean_activity(batches);
  ASSERT_EQ(means.size(), 1u);
  EXPECT_EQ(means[0].activation_rate, (std::vector<float>{0.75f, 0}));
  EXPECT_EQ(means[0].gradient_magnitude, (std::vector<float>{1.5f, 2}));
  EXPECT_EQ(means[0].mean_output, (std::vector<float>{1, 0.5f}));
  EXPECT_TRUE(means[0].incoming_norm.empty());
}

TEST(LogitDistance, IsTheMeanOverRowsOfEachReplica) {
  const Observation before{.loss = {0, 0}, .logits = {0, 0, 1, 1, /**/ 2, 2, 5, 5}, .classes = 2};
  const Observation after{.loss = {0, 0}, .logits = {3, 4, 1, 2, /**/ 2, 2, 5, 5}, .classes = 2};
  EXPECT_EQ(logit_distance(before, after), (std::vector<double>{3, 0}));
}

}  // namespace
}  // namespace cambium
