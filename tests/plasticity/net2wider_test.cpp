#include "plasticity/net2wider.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "layers/network.hpp"
#include "selftest/conformance.hpp"
#include "tests/plasticity/event.hpp"

namespace cambium {
namespace {

class Net2Wider : public testing::TestWithParam<Architecture> {
 protected:
  Event event{GetParam()};

  Donors widened() { return widen(event.device, event.networks(), event.births()); }

  std::vector<float> logits(const Structure& structure, const Activation& activation) {
    constexpr std::uint32_t rows = 8;
    std::vector<Buffer<float>> masks;
    std::vector<View<const float>> views;
    for (std::size_t l = 0; l < structure.layers(); ++l) {
      masks.emplace_back(event.device, std::vector<float>(structure.masks(l).begin(), structure.masks(l).end()));
      views.push_back(masks.back());
    }
    Network network(event.device, event.layout, activation, event.seeds, {}, views, {.capacity = rows});
    const auto input = network.input(rows);
    upload(event.device, conformance::random_values(input.size(), 1, 5), input);
    const auto pass = network.forward(event.parameters, {.rows = rows});
    return download(event.device, network.logits(pass));
  }
};
INSTANTIATE_TEST_SUITE_P(All, Net2Wider, testing::Values(small_mlp, small_convnet), architecture_name);

// How many copies of a unit there are, itself included.
std::map<std::size_t, float> holders(const Event& event, const Donors& donors, std::size_t layer, std::size_t replica) {
  std::map<std::size_t, float> count;
  for (const auto unit : event.incumbents(layer, replica)) count[unit] = 1;
  for (std::size_t j = 0; j < event.width(layer); ++j)
    if (event.newborn(layer, replica, j)) ++count[event.donor(donors, layer, replica, j)];
  return count;
}

TEST_P(Net2Wider, KeepsTheLogits) {
  const Activation smooth_leaky{.kind = Activation::Kind::smooth_leaky, .c = 2.0f, .p = 0.8f},
      rsl{.kind = Activation::Kind::rsl, .c = 2.0f, .p = 0.8f, .lower = 0.3f, .upper = 1.6f};
  for (const auto& activation : {Activation{}, smooth_leaky, rsl}) {
    event.parameters.upload(event.start);
    const auto before = logits(event.before, activation), vanilla = logits(event.after, activation);
    widened();
    const auto after = logits(event.after, activation);
    double largest = 0, moved = 0, moved_without = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      largest = std::max(largest, std::abs(double{before[i]}));
      moved = std::max(moved, std::abs(double{after[i]} - before[i]));
      moved_without = std::max(moved_without, std::abs(double{vanilla[i]} - before[i]));
    }
    EXPECT_LE(moved, 1e-5 * largest);
    EXPECT_GT(moved_without, 0.1 * largest) << "the newborns make no difference to keep away";
  }
}

TEST_P(Net2Wider, DrawsDonorsFromTheStreamOfTheSeed) {
  const auto donors = widened();
  ASSERT_EQ(donors.size(), event.architecture.hidden.size());
  for (std::size_t l = 0; l < donors.size(); ++l) {
    ASSERT_EQ(donors[l].size(), event.replicas() * event.width(l));
    for (std::size_t r = 0; r < event.replicas(); ++r) {
      const auto incumbents = event.incumbents(l, r);
      std::uint32_t i = 0;
      for (std::size_t j = 0; j < event.width(l); ++j) {
        std::int32_t expected = -1;
        if (event.newborn(l, r, j)) {
          const auto random = philox::generate({{i / 4, static_cast<std::uint32_t>(l), event.number, 0}},
                                               {{event.seeds[r], philox::donor}});
          expected = static_cast<std::int32_t>(
              incumbents[std::uint64_t{random.word[i % 4]} * incumbents.size() / (std::uint64_t{1} << 32)]);
          ++i;
        }
        EXPECT_EQ(donors[l][r * event.width(l) + j], expected) << l << " " << r << " " << j;
      }
      EXPECT_GT(i, 0u);
    }
  }
}

TEST_P(Net2Wider, EveryEventDrawsOtherDonors) {
  const auto donors = widened();
  ++event.number;
  EXPECT_NE(widened(), donors);
}

TEST_P(Net2Wider, CopiesHaveTheIncomingWeightsAndBiasesOfTheirDonorsBitForBit) {
  const auto donors = widened();
  auto now = event.now();
  event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
    const auto d = event.donor(donors, l, r, j);
    const auto weights = now.weights(l, r), bias = now.bias(l, r);
    EXPECT_EQ(bias(j), bias(d));
    for (std::size_t i = 0; i < weights.inputs; ++i) EXPECT_EQ(weights(j, i), weights(d, i)) << l << " " << r;
  });
}

TEST_P(Net2Wider, DividesOutgoingWeightsEquallyBetweenADonorAndItsCopies) {
  const auto donors = widened();
  auto start = event.at_start(), now = event.now();
  float most = 0;
  event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
    const auto d = event.donor(donors, l, r, j);
    const float rho = holders(event, donors, l, r)[d];
    most = std::max(most, rho);
    // Weights into newborns of the layer behind are theirs to change: they have another test.
    const bool last = l + 1 == event.before.layers();
    const auto consumers = last ? static_cast<std::size_t>(event.architecture.classes) : event.width(l + 1);
    const auto old = start.weights(l + 1, r), shared = now.weights(l + 1, r);
    for (std::size_t k = 0; k < consumers; ++k) {
      EXPECT_EQ(shared(k, j), shared(k, d));
      if (last || !event.newborn(l + 1, r, k)) {
        EXPECT_FLOAT_EQ(shared(k, d), old(k, d) / rho) << l << " " << r;
      }
    }
  });
  EXPECT_GE(most, 3) << "no donor has several copies";
}

TEST_P(Net2Wider, WeightsBetweenCopiesAreFractionsOfTheDonorsWeight) {
  const auto donors = widened();
  auto start = event.at_start(), now = event.now();
  int seen = 0;
  event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t k) {
    if (l == 0) return;
    const auto d = event.donor(donors, l, r, k);
    auto rho = holders(event, donors, l - 1, r);
    for (std::size_t j = 0; j < event.width(l - 1); ++j)
      if (event.newborn(l - 1, r, j)) {
        const auto source = event.donor(donors, l - 1, r, j);
        EXPECT_FLOAT_EQ(now.weights(l, r)(k, j), start.weights(l, r)(d, source) / rho[source]);
        ++seen;
      }
  });
  EXPECT_GT(seen, 0);
}

TEST_P(Net2Wider, ChangesNoOtherParameter) {
  const auto donors = widened();
  // What belongs to newborns and donors is put back; the rest must be as it was.
  auto start = event.at_start(), now = event.now();
  event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
    for (std::size_t i = 0; i < now.weights(l, r).inputs; ++i) now.weights(l, r)(j, i) = start.weights(l, r)(j, i);
    now.bias(l, r)(j) = start.bias(l, r)(j);
  });
  event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
    const auto units = static_cast<std::size_t>(event.layout.layers[event.architecture.trunk.size() + l + 1].units);
    for (std::size_t k = 0; k < units; ++k)
      for (const auto from : {j, event.donor(donors, l, r, j)})
        now.weights(l + 1, r)(k, from) = start.weights(l + 1, r)(k, from);
  });
  EXPECT_EQ(now.flat(), event.start);
}

TEST_P(Net2Wider, DoesNothingWithoutNewborns) {
  event.after = event.before;
  const auto donors = widened();
  add_insertion_noise(event.device, event.networks(), event.births(), donors, 1.0f);
  EXPECT_EQ(event.parameters.download(), event.start);
  for (const auto& layer : donors)
    for (const auto donor : layer) EXPECT_EQ(donor, -1);
}

TEST_P(Net2Wider, DoesNotChangeAReplicaWithoutNewborns) {
  event.spare(0);
  add_insertion_noise(event.device, event.networks(), event.births(), widened(), 1.0f);
  const auto start = replica_of(event.layout, event.start, 0),
             now = replica_of(event.layout, event.parameters.download(), 0);
  for (std::size_t t = 0; t < start.size(); ++t) EXPECT_EQ(now[t].values, start[t].values) << start[t].name;
  EXPECT_NE(event.parameters.download(), event.start);
}

TEST_P(Net2Wider, ChangesNoMoment) {
  const auto values = conformance::random_values(event.layout.size, 1, 2);
  event.moments.emplace_back(event.device, values);
  add_insertion_noise(event.device, event.networks(), event.births(), widened(), 1.0f);
  EXPECT_EQ(event.moments[0].download(), values);
}

TEST_P(Net2Wider, AReplicaGetsTheSameBitsAloneAndBesideOthers) {
  const std::vector<std::uint32_t> seeds{7, 8, 9};
  const auto run = [&](Event& networks) {
    const auto donors = widen(networks.device, networks.networks(), networks.births());
    add_insertion_noise(networks.device, networks.networks(), networks.births(), donors, 0.5f);
    return networks.parameters.download();
  };
  Event together(GetParam(), seeds);
  const auto all = run(together);
  for (std::size_t r = 0; r < seeds.size(); ++r) {
    Event alone(GetParam(), {seeds[r]});
    const auto one = to_state_dict(alone.layout, run(alone)), same = replica_of(together.layout, all, r);
    for (std::size_t t = 0; t < one.size(); ++t) EXPECT_EQ(one[t].values, same[t].values) << one[t].name;
  }
}

TEST_P(Net2Wider, GivesTheSameBitsInWorkGroupsOfAnySize) {
  widened();
  const auto expected = event.parameters.download();
  for (const std::size_t size : {1, 7, 32}) {
    event.device.set_work_group_size(size);
    event.parameters.upload(event.start);
    widened();
    EXPECT_EQ(event.parameters.download(), expected) << size;
  }
  event.device.set_work_group_size(0);
}

using InsertionNoise = Net2Wider;
INSTANTIATE_TEST_SUITE_P(All, InsertionNoise, testing::Values(small_mlp, small_convnet), architecture_name);

TEST_P(InsertionNoise, IsAddedToTheIncomingWeightsOfCopiesInProportionToTheDonorsDeviation) {
  const float epsilon = 0.5f;
  for (const std::size_t group : {0, 1, 7}) {
    event.device.set_work_group_size(group);
    event.parameters.upload(event.start);
    const auto donors = widened();
    const auto copied = event.now();
    add_insertion_noise(event.device, event.networks(), event.births(), donors, epsilon);
    auto expected = copied, now = event.now();
    event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
      const auto d = event.donor(donors, l, r, j);
      const auto weights = expected.weights(l, r), noisy = now.weights(l, r);
      double mean = 0, variance = 0;
      for (std::size_t i = 0; i < weights.inputs; ++i) mean += double{weights(d, i)} / double(weights.inputs);
      for (std::size_t i = 0; i < weights.inputs; ++i)
        variance += std::pow(weights(d, i) - mean, 2) / double(weights.inputs);
      for (std::size_t i = 0; i < weights.inputs; ++i) {
        // The tensors are PyTorch's, and so is `i`.
        const auto n = insertion_noise(event.seeds[r], event.number, static_cast<std::uint32_t>(l),
                                       static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(i));
        const double sum = weights(j, i) + epsilon * std::sqrt(variance) * n;
        EXPECT_NEAR(noisy(j, i), sum, 1e-6) << l << " " << r << " " << j << " " << i;
        noisy(j, i) = weights(j, i);
      }
    });
    EXPECT_EQ(now.flat(), copied.flat()) << "noise elsewhere than in the incoming weights of copies";
  }
  event.device.set_work_group_size(0);
}

TEST_P(InsertionNoise, OfSizeZeroChangesNothing) {
  const auto donors = widened();
  const auto copied = event.parameters.download();
  add_insertion_noise(event.device, event.networks(), event.births(), donors, 0.0f);
  EXPECT_EQ(event.parameters.download(), copied);
}

// A donor whose weights are 1 and -1 has deviation 1; what a copy of zeros becomes is the noise itself.
TEST_P(InsertionNoise, IsTheSameOnHostAndDevice) {
  auto values = event.at_start();
  Donors donors;
  for (std::size_t l = 0; l < event.before.layers(); ++l) donors.emplace_back(event.replicas() * event.width(l), -1);
  for (std::size_t r = 0; r < event.replicas(); ++r)
    for (std::size_t j = 0; j < event.width(0); ++j) {
      const auto weights = values.weights(0, r);
      for (std::size_t i = 0; i < weights.inputs; ++i) weights(j, i) = j > 4 ? 0.0f : i % 2 == 0 ? 1.0f : -1.0f;
      if (j > 4) donors[0][r * event.width(0) + j] = 4;
    }
  event.parameters.upload(values.flat());
  add_insertion_noise(event.device, event.networks(), event.births(), donors, 1.0f);
  auto now = event.now();
  for (std::size_t r = 0; r < event.replicas(); ++r)
    for (std::uint32_t j = 5; j < event.width(0); ++j)
      for (std::uint32_t i = 0; i < now.weights(0, r).inputs; ++i)
        EXPECT_NEAR(now.weights(0, r)(j, i), insertion_noise(event.seeds[r], event.number, 0, j, i), 1e-6);
}

TEST(InsertionNoiseNumbers, AreMadeFromTheFirstTwoWordsAtTheWeightsPlace) {
  for (std::uint32_t input = 0; input < 100; ++input) {
    const auto random = philox::generate({{input, 5, 2, 7}}, {{11, philox::insertion_noise}});
    const double u1 = (random.word[0] >> 8) / 16777216.0, u2 = (random.word[1] >> 8) / 16777216.0;
    EXPECT_NEAR(insertion_noise(11, 7, 2, 5, input), std::sqrt(-2 * std::log(1 - u1)) * std::cos(2 * M_PI * u2), 1e-6);
  }
}

TEST(InsertionNoiseNumbers, AreStandardNormalAndIndependent) {
  constexpr std::uint32_t units = 100, inputs = 1000;
  constexpr double count = units * inputs;
  double sum = 0, squares = 0, fourth = 0, along_inputs = 0, along_units = 0, within_one = 0;
  for (std::uint32_t unit = 0; unit < units; ++unit)
    for (std::uint32_t input = 0; input < inputs; ++input) {
      const double n = insertion_noise(1, 2, 1, unit, input);
      sum += n / count;
      squares += n * n / count;
      fourth += n * n * n * n / count;
      along_inputs += n * insertion_noise(1, 2, 1, unit, input + 1) / count;
      along_units += n * insertion_noise(1, 2, 1, unit + 1, input) / count;
      within_one += (std::abs(n) < 1) / count;
    }
  // Four standard errors each.
  EXPECT_NEAR(sum, 0, 4 * std::sqrt(1 / count));
  EXPECT_NEAR(squares, 1, 4 * std::sqrt(2 / count));
  EXPECT_NEAR(fourth, 3, 4 * std::sqrt(96 / count));
  EXPECT_NEAR(along_inputs, 0, 4 * std::sqrt(1 / count));
  EXPECT_NEAR(along_units, 0, 4 * std::sqrt(1 / count));
  EXPECT_NEAR(within_one, 0.682689, 4 * std::sqrt(0.2166 / count));
}

}  // namespace
}  // namespace cambium
