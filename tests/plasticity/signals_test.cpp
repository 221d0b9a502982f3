// Signals of units against a network of plain loops in double precision, at full width with masks; the observer works
// on the live layout.

#include "plasticity/signals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/conformance/conformance.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

constexpr float tau = 0.05f;
constexpr std::uint32_t rows = 9;
const std::vector<std::uint32_t> seeds{4, 5, 6};
const std::size_t replicas = seeds.size();

const Architecture small_mlp{"mlp", {6, 5, 1}, {}, {33, 21}, 10};
const Architecture small_convnet{"convnet", {8, 8, 3}, {5, 8}, {33, 20, 17}, 10};

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

struct Batch {
  std::vector<float> images;
  std::vector<std::int32_t> labels;
};
Batch random_batch(const Architecture& architecture, std::uint32_t count, std::uint32_t seed) {
  Batch batch{
      conformance::random_values(replicas * count * static_cast<std::size_t>(architecture.image.size()), seed, 1), {}};
  for (std::uint32_t i = 0; i < replicas * count; ++i)
    batch.labels.push_back(static_cast<std::int32_t>((i * 7 + seed) % 10));
  return batch;
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
  std::vector<UnitSignals> activity(const Batch& batch, std::uint32_t count = rows) {
    upload(device, batch.images, observer.input(count));
    const Buffer<std::int32_t> labels(device, batch.labels);
    return observer.observe_activity(parameters.live, labels, count, tau);
  }
};

// ---- the reference: one replica, full width, masks

struct Function {
  double value, derivative;
};
Function phi(const Activation& activation, double z) {
  if (activation.kind == Activation::Kind::relu) return {z > 0 ? z : 0, z > 0 ? 1.0 : 0.0};
  const double slope = activation.kind == Activation::Kind::smooth_leaky
                           ? double{activation.alpha}
                           : (double{activation.lower} + activation.upper) / 2;
  const double k = double{activation.c} / activation.p, s = 1 / (1 + std::exp(-k * z));
  return {slope * z + (1 - slope) * z * s, slope + (1 - slope) * (s + k * z * s * (1 - s))};
}

using Values = std::vector<double>;

struct ReferenceUnit {
  double activation_rate = 0, gradient_magnitude = 0, mean_output = 0;
  double incoming_norm = 0, outgoing_norm = 0, incoming_gradient_norm = 0, outgoing_gradient_norm = 0,
         incoming_displacement = 0, outgoing_displacement = 0;
};

struct ReferenceNetwork {
  std::vector<std::vector<ReferenceUnit>> units;  // per hidden layer, full width
  double loss = 0;
  Values logits;  // (rows, classes)

  ReferenceNetwork(const Live& live, const Activation& activation, const Batch& batch, std::size_t r) {
    const auto& full = live.compaction.full();
    const auto& structure = live.compaction.structure();
    const std::size_t trunk = live.architecture.trunk.size(), layers = full.layers.size(), linear = layers - trunk;
    const auto classes = static_cast<std::size_t>(live.architecture.classes);
    const auto weight = [&](std::size_t layer, std::size_t i, std::size_t j) {
      const auto& l = full.layers[layer];
      return l.weights_begin + r * l.weights_each + i * static_cast<std::size_t>(l.units) + j;
    };
    const auto bias = [&](std::size_t layer, std::size_t j) {
      const auto& l = full.layers[layer];
      return double{live.initial[l.bias_begin + r * static_cast<std::size_t>(l.units) + j]};
    };
    const auto mask = [&](std::size_t hidden, std::size_t j) {
      return hidden >= structure.layers() || structure.mask(hidden, static_cast<std::int32_t>(r))[j] != 0;
    };
    for (const auto width : live.architecture.hidden) units.emplace_back(static_cast<std::size_t>(width));
    std::vector<Values> weight_gradient(linear);  // of the mean loss
    for (std::size_t i = 0; i < linear; ++i) weight_gradient[i].resize(full.layers[trunk + i].weights_each);

    for (std::size_t row = 0; row < rows; ++row) {
      const auto pixels = static_cast<std::size_t>(live.architecture.image.size());
      Values x(batch.images.begin() + static_cast<std::ptrdiff_t>((r * rows + row) * pixels),
               batch.images.begin() + static_cast<std::ptrdiff_t>((r * rows + row + 1) * pixels));
      for (std::size_t i = 0; i < trunk; ++i)
        x = convolve(
            full.layers[i], activation, x,
            [&](std::size_t k, std::size_t j) { return double{live.initial[weight(i, k, j)]}; },
            [&](std::size_t j) { return bias(i, j); });
      std::vector<Values> inputs, z;
      for (std::size_t i = 0; i < linear; ++i) {
        inputs.push_back(x);
        const auto width = static_cast<std::size_t>(full.layers[trunk + i].units);
        Values sums(width), outputs(width);
        for (std::size_t j = 0; j < width; ++j) {
          sums[j] = bias(trunk + i, j);
          for (std::size_t k = 0; k < x.size(); ++k) sums[j] += x[k] * live.initial[weight(trunk + i, k, j)];
          outputs[j] = mask(i, j) ? phi(activation, sums[j]).value : 0;
        }
        z.push_back(sums);
        x = outputs;
      }
      // Softmax and cross-entropy.
      const auto label = static_cast<std::size_t>(batch.labels[r * rows + row]);
      logits.insert(logits.end(), z.back().begin(), z.back().end());
      double sum = 0;
      for (const double value : z.back()) sum += std::exp(value);
      loss += (std::log(sum) - z.back()[label]) / rows;
      Values dz(classes);
      for (std::size_t c = 0; c < classes; ++c) dz[c] = std::exp(z.back()[c]) / sum - (c == label ? 1.0 : 0.0);
      // Back through the layers.
      for (std::size_t i = linear; i-- > 0;) {
        for (std::size_t k = 0; k < inputs[i].size(); ++k)
          for (std::size_t j = 0; j < dz.size(); ++j)
            weight_gradient[i][k * dz.size() + j] += inputs[i][k] * dz[j] / rows;
        if (i == 0) break;
        Values before(inputs[i].size());
        for (std::size_t k = 0; k < before.size(); ++k) {
          for (std::size_t j = 0; j < dz.size(); ++j) before[k] += dz[j] * live.initial[weight(trunk + i, k, j)];
          before[k] *= mask(i - 1, k) ? phi(activation, z[i - 1][k]).derivative : 0.0;
          ReferenceUnit& unit = units[i - 1][k];
          unit.activation_rate += inputs[i][k] > tau ? 1.0 / rows : 0.0;
          unit.mean_output += inputs[i][k] / rows;
          unit.gradient_magnitude += std::abs(before[k]) / rows;
        }
        dz = before;
      }
    }
    for (std::size_t l = 0; l < units.size(); ++l)
      for (std::size_t unit = 0; unit < units[l].size(); ++unit) {
        ReferenceUnit& u = units[l][unit];
        const auto inputs = static_cast<std::size_t>(full.layers[trunk + l].inputs);
        for (std::size_t k = 0; k < inputs; ++k) {
          if (l > 0 && !mask(l - 1, k)) continue;
          const std::size_t at = weight(trunk + l, k, unit);
          u.incoming_norm += std::pow(live.initial[at], 2);
          u.incoming_displacement += std::pow(double{live.initial[at]} - live.reference_values[at], 2);
          u.incoming_gradient_norm += std::pow(weight_gradient[l][k * units[l].size() + unit], 2);
        }
        const auto outputs = static_cast<std::size_t>(full.layers[trunk + l + 1].units);
        for (std::size_t k = 0; k < outputs; ++k) {
          if (!mask(l + 1, k)) continue;
          const std::size_t at = weight(trunk + l + 1, unit, k);
          u.outgoing_norm += std::pow(live.initial[at], 2);
          u.outgoing_displacement += std::pow(double{live.initial[at]} - live.reference_values[at], 2);
          u.outgoing_gradient_norm += std::pow(weight_gradient[l + 1][unit * outputs + k], 2);
        }
        for (double* square : {&u.incoming_norm, &u.incoming_displacement, &u.incoming_gradient_norm, &u.outgoing_norm,
                               &u.outgoing_displacement, &u.outgoing_gradient_norm})
          *square = std::sqrt(*square);
      }
  }

  // 3x3 convolution with padding 1, activation, 2x2 max-pooling; channels last.
  template <class Weight, class Bias>
  static Values convolve(const LayerLayout& layer, const Activation& activation, const Values& x, Weight&& weight,
                         Bias&& bias) {
    const std::int32_t height = layer.shape.image.height, width = layer.shape.image.width, inputs = layer.inputs,
                       units = layer.units;
    Values pooled(static_cast<std::size_t>(height / 2 * (width / 2) * units), -1e9);
    for (std::int32_t y = 0; y < height; ++y)
      for (std::int32_t at = 0; at < width; ++at)
        for (std::int32_t j = 0; j < units; ++j) {
          double sum = bias(static_cast<std::size_t>(j));
          for (std::int32_t tap = 0; tap < 9; ++tap) {
            const std::int32_t from_y = y + tap / 3 - 1, from_x = at + tap % 3 - 1;
            if (from_y < 0 || from_x < 0 || from_y >= height || from_x >= width) continue;
            for (std::int32_t c = 0; c < inputs; ++c)
              sum += x[static_cast<std::size_t>((from_y * width + from_x) * inputs + c)] *
                     weight(static_cast<std::size_t>(tap * inputs + c), static_cast<std::size_t>(j));
          }
          double& best = pooled[static_cast<std::size_t>((y / 2 * (width / 2) + at / 2) * units + j)];
          best = std::max(best, phi(activation, sum).value);
        }
    return pooled;
  }
};

// ---- tests

struct Named {
  const char* name;
  std::vector<float> UnitSignals::*signal;
  double ReferenceUnit::*expected;
};
const std::vector<Named> all_signals{
    {"activation rate", &UnitSignals::activation_rate, &ReferenceUnit::activation_rate},
    {"gradient magnitude", &UnitSignals::gradient_magnitude, &ReferenceUnit::gradient_magnitude},
    {"mean output", &UnitSignals::mean_output, &ReferenceUnit::mean_output},
    {"incoming norm", &UnitSignals::incoming_norm, &ReferenceUnit::incoming_norm},
    {"outgoing norm", &UnitSignals::outgoing_norm, &ReferenceUnit::outgoing_norm},
    {"incoming gradient norm", &UnitSignals::incoming_gradient_norm, &ReferenceUnit::incoming_gradient_norm},
    {"outgoing gradient norm", &UnitSignals::outgoing_gradient_norm, &ReferenceUnit::outgoing_gradient_norm},
    {"incoming displacement", &UnitSignals::incoming_displacement, &ReferenceUnit::incoming_displacement},
    {"outgoing displacement", &UnitSignals::outgoing_displacement, &ReferenceUnit::outgoing_displacement}};

class Signals : public testing::TestWithParam<std::tuple<Architecture, Activation>> {
 protected:
  const Architecture& architecture = std::get<0>(GetParam());
  const Activation& activation = std::get<1>(GetParam());
  Batch batch = random_batch(architecture, rows, 1);
};

TEST_P(Signals, AreThoseOfPlainLoopsForAnyWorkGroupSize) {
  Live live(architecture, activation);
  std::vector<ReferenceNetwork> reference;
  for (std::size_t r = 0; r < replicas; ++r) reference.emplace_back(live, activation, batch, r);
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
          wanted.push_back(
              numbers[i] < 0 ? 0.0 : reference[i / width].units[l][static_cast<std::size_t>(numbers[i])].*expected);
        const double largest = *std::max_element(wanted.begin(), wanted.end());
        EXPECT_GT(largest, 1e-4) << name;
        for (std::size_t i = 0; i < numbers.size(); ++i)
          EXPECT_NEAR(values[i], wanted[i], (numbers[i] < 0 ? 0 : 3e-6) * largest)
              << name << " of fc" << l + 1 << ", " << i;
      }
  }
}

TEST_P(Signals, LossAndLogitsAreThoseOfPlainLoops) {
  Live live(architecture, activation);
  const auto seen = live.observe(batch);
  ASSERT_EQ(seen.classes, 10u);
  ASSERT_EQ(seen.logits.size(), replicas * rows * 10);
  for (std::size_t r = 0; r < replicas; ++r) {
    const ReferenceNetwork reference(live, activation, batch, r);
    EXPECT_NEAR(seen.loss[r], reference.loss, 2e-6);
    for (std::size_t i = 0; i < reference.logits.size(); ++i)
      EXPECT_NEAR(seen.logits[r * rows * 10 + i], reference.logits[i], 2e-6) << r << " " << i;
  }
}

TEST_P(Signals, OfActivityAloneHaveTheSameBits) {
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

TEST_P(Signals, LeaveTheParametersAlone) {
  Live live(architecture, activation);
  const auto before = live.parameters.live.download();
  live.observe(batch);
  live.activity(batch);
  EXPECT_EQ(live.parameters.live.download(), before);
}

// A smaller batch lies elsewhere in the buffers, so padding meets what a larger one left there.
TEST_P(Signals, DoNotDependOnTheBatchBefore) {
  Live fresh(architecture, activation), used(architecture, activation);
  const auto small = random_batch(architecture, 4, 2);
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
  const auto seen = live.observe(random_batch(small_mlp, rows, 1), rows, false).layers[0];
  EXPECT_TRUE(seen.incoming_displacement.empty());
  EXPECT_TRUE(seen.outgoing_displacement.empty());
  EXPECT_FALSE(seen.incoming_norm.empty());
}

TEST(UnitSignals, OfAReplicaHaveTheSameBitsAloneAndBesideOthers) {
  Live together(small_convnet, smooth);
  const auto batch = random_batch(small_convnet, rows, 1);
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
