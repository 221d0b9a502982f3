#include "plasticity/moment_transplant.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/plasticity/event.hpp"

namespace cambium {
namespace {

// Cosine of the incoming weights of two units.
double cosine(const Tensor& weights, std::size_t a, std::size_t b) {
  double product = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < weights.inputs; ++i) {
    product += double{weights(a, i)} * weights(b, i);
    square_a += double{weights(a, i)} * weights(a, i);
    square_b += double{weights(b, i)} * weights(b, i);
  }
  return square_a == 0 || square_b == 0 ? 0 : product / std::sqrt(square_a) / std::sqrt(square_b);
}

class MomentTransplant : public testing::TestWithParam<Architecture> {
 protected:
  Event event{GetParam()};

  Donors transplanted() { return transplant_moments(event.device, event.networks(), event.births()); }

  // Two sets of moments. Newborns have some, too, which a transplant overwrites.
  static std::vector<std::vector<float>> add_moments(Event& event) {
    std::vector<std::vector<float>> values;
    for (const float factor : {1.0f, 2.0f}) {
      std::vector<float> flat(event.layout.size);
      for (std::size_t i = 0; i < flat.size(); ++i) flat[i] = factor * event.start[i] + event.start[i] * event.start[i];
      values.push_back(flat);
      event.moments.emplace_back(event.device, flat);
    }
    return values;
  }
  // Incoming weights of some units of every layer and replica, `body(layer, replica, tensor)`.
  template <class Body>
  void change_weights(Body&& body) {
    auto values = event.at_start();
    for (std::size_t l = 0; l < event.before.layers(); ++l)
      for (std::size_t r = 0; r < event.replicas(); ++r) body(l, r, values.weights(l, r));
    event.start = values.flat();
    event.parameters.upload(event.start);
  }
};
INSTANTIATE_TEST_SUITE_P(All, MomentTransplant, testing::Values(small_mlp, small_convnet), architecture_name);

TEST_P(MomentTransplant, DonorsAreTheMostSimilarIncumbents) {
  add_moments(event);
  auto values = event.at_start();
  for (const std::size_t group : {0, 1, 7}) {
    event.device.set_work_group_size(group);
    const auto donors = transplanted();
    ASSERT_EQ(donors.size(), event.before.layers());
    for (std::size_t l = 0; l < donors.size(); ++l)
      for (std::size_t r = 0; r < event.replicas(); ++r)
        for (std::size_t j = 0; j < event.width(l); ++j) {
          std::int32_t expected = -1;
          double best = -2;
          for (const auto k : event.incumbents(l, r))
            if (event.newborn(l, r, j) && cosine(values.weights(l, r), j, k) > best) {
              best = cosine(values.weights(l, r), j, k);
              expected = static_cast<std::int32_t>(k);
            }
          EXPECT_EQ(donors[l][r * event.width(l) + j], expected) << l << " " << r << " " << j;
        }
  }
  event.device.set_work_group_size(0);
}

TEST_P(MomentTransplant, CopiesMomentsOfIncomingWeightsBiasAndOutgoingWeightsAndNoOthers) {
  const auto moments = add_moments(event);
  const auto donors = transplanted();
  for (std::size_t set = 0; set < moments.size(); ++set) {
    HostValues expected(event.layout, moments[set]);
    event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
      const auto d = event.donor(donors, l, r, j);
      for (std::size_t i = 0; i < expected.weights(l, r).inputs; ++i)
        expected.weights(l, r)(j, i) = expected.weights(l, r)(d, i);
      expected.bias(l, r)(j) = expected.bias(l, r)(d);
      const auto units = static_cast<std::size_t>(event.layout.layers[event.architecture.trunk.size() + l + 1].units);
      for (std::size_t k = 0; k < units; ++k) expected.weights(l + 1, r)(k, j) = expected.weights(l + 1, r)(k, d);
    });
    EXPECT_EQ(event.moments[set].download(), expected.flat()) << "set " << set;
    EXPECT_NE(expected.flat(), moments[set]);
  }
}

TEST_P(MomentTransplant, ChangesNoParameter) {
  add_moments(event);
  transplanted();
  EXPECT_EQ(event.parameters.download(), event.start);
}

TEST_P(MomentTransplant, ChangesNothingWithoutNewborns) {
  const auto moments = add_moments(event);
  event.after = event.before;
  for (const auto& layer : transplanted())
    for (const auto donor : layer) EXPECT_EQ(donor, -1);
  for (std::size_t set = 0; set < moments.size(); ++set) EXPECT_EQ(event.moments[set].download(), moments[set]);
  EXPECT_EQ(event.parameters.download(), event.start);
}

TEST_P(MomentTransplant, DoesNotChangeAReplicaWithoutNewborns) {
  const auto moments = add_moments(event);
  event.spare(0);
  transplanted();
  for (std::size_t set = 0; set < moments.size(); ++set) {
    const auto now = event.moments[set].download();
    const auto start = replica_of(event.layout, moments[set], 0), own = replica_of(event.layout, now, 0);
    for (std::size_t t = 0; t < start.size(); ++t) EXPECT_EQ(own[t].values, start[t].values) << start[t].name;
    EXPECT_NE(now, moments[set]);
  }
}

TEST_P(MomentTransplant, HasNoDonorsWithoutMoments) {
  for (const auto& layer : transplanted())
    for (const auto donor : layer) EXPECT_EQ(donor, -1);
  EXPECT_EQ(event.parameters.download(), event.start);
}

TEST_P(MomentTransplant, TiesSelectTheLowerIncumbent) {
  add_moments(event);
  // The newborns and the last two incumbents of every layer all point the same way; the very last is longer.
  change_weights([&](std::size_t l, std::size_t r, const Tensor& weights) {
    const auto incumbents = event.incumbents(l, r);
    const std::size_t last = incumbents.back(), other = incumbents[incumbents.size() - 2];
    for (std::size_t i = 0; i < weights.inputs; ++i) {
      weights(last, i) = 4 * weights(other, i);
      for (std::size_t j = 0; j < event.width(l); ++j)
        if (event.newborn(l, r, j)) weights(j, i) = weights(other, i);
    }
  });
  for (const std::size_t group : {0, 1, 7}) {
    event.device.set_work_group_size(group);
    const auto donors = transplanted();
    event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
      const auto incumbents = event.incumbents(l, r);
      EXPECT_EQ(event.donor(donors, l, r, j), incumbents[incumbents.size() - 2]);
    });
  }
  event.device.set_work_group_size(0);
}

TEST_P(MomentTransplant, AnIncumbentWithoutWeightsIsMoreSimilarThanOppositeOnes) {
  add_moments(event);
  change_weights([&](std::size_t l, std::size_t r, const Tensor& weights) {
    const auto incumbents = event.incumbents(l, r);
    for (std::size_t i = 0; i < weights.inputs; ++i)
      for (std::size_t j = 0; j < event.width(l); ++j)
        if (event.incumbent(l, r, j))
          weights(j, i) = j == incumbents[2] ? 0.0f : -1.0f - static_cast<float>(j + i);
        else
          weights(j, i) = 1.0f;
  });
  const auto donors = transplanted();
  event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
    EXPECT_EQ(event.donor(donors, l, r, j), event.incumbents(l, r)[2]);
  });
}

TEST_P(MomentTransplant, ANewbornWithoutWeightsTakesTheFirstIncumbent) {
  add_moments(event);
  change_weights([&](std::size_t l, std::size_t r, const Tensor& weights) {
    for (std::size_t i = 0; i < weights.inputs; ++i)
      for (std::size_t j = 0; j < event.width(l); ++j)
        if (event.newborn(l, r, j)) weights(j, i) = 0.0f;
  });
  const auto donors = transplanted();
  event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
    EXPECT_EQ(event.donor(donors, l, r, j), event.incumbents(l, r).front());
  });
}

TEST_P(MomentTransplant, AReplicaGetsTheSameAloneAndBesideOthers) {
  const std::vector<std::uint32_t> seeds{7, 8, 9};
  Event together(GetParam(), seeds);
  add_moments(together);
  transplant_moments(together.device, together.networks(), together.births());
  for (std::size_t r = 0; r < seeds.size(); ++r) {
    Event alone(GetParam(), {seeds[r]});
    add_moments(alone);
    transplant_moments(alone.device, alone.networks(), alone.births());
    for (std::size_t set = 0; set < alone.moments.size(); ++set) {
      const auto one = to_state_dict(alone.layout, alone.moments[set].download()),
                 same = replica_of(together.layout, together.moments[set].download(), r);
      for (std::size_t t = 0; t < one.size(); ++t) EXPECT_EQ(one[t].values, same[t].values) << one[t].name;
    }
  }
}

// Sums over 4096 inputs in single precision: a donor may miss the best cosine by rounding only.
TEST(MomentTransplantAtFullSize, DonorsAreTheMostSimilarIncumbents) {
  Event event(make_architecture("convnet", {32, 32, 3}, 100));
  event.before = drawn_structure(event.architecture, event.seeds, 0.15f);
  event.after = drawn_structure(event.architecture, event.seeds, 0.2f);
  event.moments.emplace_back(event.device, event.start);
  const auto donors = transplant_moments(event.device, event.networks(), event.births());
  auto values = event.at_start();
  int newborns = 0;
  event.for_each_newborn([&](std::size_t l, std::size_t r, std::size_t j) {
    const auto weights = values.weights(l, r);
    double best = -1;
    for (const auto k : event.incumbents(l, r)) best = std::max(best, cosine(weights, j, k));
    EXPECT_NEAR(cosine(weights, j, event.donor(donors, l, r, j)), best, 1e-6);
    ++newborns;
  });
  EXPECT_GT(newborns, 20);
}

}  // namespace
}  // namespace cambium
