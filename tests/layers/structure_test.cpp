#include "layers/structure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cambium {
namespace {

using testing::ElementsAre;

const Architecture small = make_architecture("mlp", {28, 28, 1}, 10, {6, 4});
const Architecture wide = make_architecture("convnet", {32, 32, 3}, 10);
const std::vector<std::uint32_t> seeds{1, 2, 3};
const std::vector<std::int32_t> some{102, 102, 51};

std::vector<std::uint8_t> copy(std::span<const std::uint8_t> mask) { return {mask.begin(), mask.end()}; }

TEST(Structure, StartsWithAllUnitsActive) {
  const Structure structure(small, 2);
  EXPECT_TRUE(structure.everything_active());
  EXPECT_EQ(structure.active(0, 1), 6);
  EXPECT_EQ(structure.live_width(1), 4);
  EXPECT_THAT(structure.live_units(1), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
}

TEST(Structure, OneInactiveUnitEndsEverythingActive) {
  Structure structure(small, 2);
  structure.set_mask(1, 1, std::vector<std::uint8_t>{1, 1, 1, 0});
  EXPECT_FALSE(structure.everything_active());
}

TEST(Structure, AMaskChangesItsLayerAndReplicaOnly) {
  Structure structure(small, 3);
  structure.set_mask(0, 1, std::vector<std::uint8_t>{0, 1, 0, 0, 1, 0});
  EXPECT_THAT(structure.mask(0, 0), ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(structure.mask(0, 1), ElementsAre(0, 1, 0, 0, 1, 0));
  EXPECT_THAT(structure.mask(0, 2), ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_EQ(structure.active(0, 1), 2);
  EXPECT_EQ(structure.active(1, 1), 4);
}

TEST(Structure, AnyByteExceptZeroMeansActive) {
  Structure structure(small, 1);
  structure.set_mask(1, 0, std::vector<std::uint8_t>{0, 2, 255, 0});
  EXPECT_THAT(structure.mask(1, 0), ElementsAre(0, 1, 1, 0));
}

TEST(Structure, LiveUnitsAscendAndShorterReplicasEndInMinusOne) {
  Structure structure(small, 3);
  structure.set_mask(0, 0, std::vector<std::uint8_t>{0, 1, 0, 0, 0, 1});
  structure.set_mask(0, 1, std::vector<std::uint8_t>{1, 0, 1, 1, 0, 0});
  structure.set_mask(0, 2, std::vector<std::uint8_t>{0, 0, 0, 0, 1, 0});
  EXPECT_EQ(structure.live_width(0), 3);
  EXPECT_THAT(structure.live_units(0), ElementsAre(1, 5, -1, 0, 2, 3, 4, -1, -1));
}

TEST(Structure, AMaskOfAnotherWidthIsALogicError) {
  Structure structure(small, 1);
  EXPECT_THROW(structure.set_mask(0, 0, std::vector<std::uint8_t>(5)), std::logic_error);
}

TEST(RandomStructure, HasTheRequestedNumberOfActiveUnits) {
  const auto structure = random_structure(wide, seeds, some);
  for (std::size_t layer = 0; layer < 3; ++layer)
    for (std::int32_t replica = 0; replica < 3; ++replica)
      EXPECT_EQ(structure.active(layer, replica), some[layer]) << layer << ", " << replica;
}

TEST(RandomStructure, CanHaveAllUnitsActive) {
  EXPECT_TRUE(random_structure(wide, seeds, wide.hidden).everything_active());
}

TEST(RandomStructure, DiffersBetweenSeedsAndLayers) {
  const auto structure = random_structure(wide, seeds, some);
  EXPECT_NE(copy(structure.mask(0, 0)), copy(structure.mask(0, 1)));
  EXPECT_NE(copy(structure.mask(0, 0)), copy(structure.mask(1, 0)));
}

TEST(RandomStructure, OfAReplicaDoesNotDependOnOtherReplicas) {
  const auto together = random_structure(wide, seeds, some);
  const auto alone = random_structure(wide, std::vector<std::uint32_t>{3}, some);
  for (std::size_t layer = 0; layer < 3; ++layer)
    EXPECT_EQ(copy(together.mask(layer, 2)), copy(alone.mask(layer, 0))) << layer;
}

TEST(RandomStructure, WithMoreUnitsContainsTheOneWithFewer) {
  const auto few = random_structure(wide, seeds, some);
  const auto more = random_structure(wide, seeds, std::vector<std::int32_t>{200, 200, 100});
  for (std::size_t unit = 0; unit < 512; ++unit) EXPECT_LE(few.mask(0, 0)[unit], more.mask(0, 0)[unit]) << unit;
}

// 2000 seeds choose 2 of 6 units: each about 667 times.
TEST(RandomStructure, ChoosesAllUnitsEquallyOften) {
  std::vector<std::uint32_t> many;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) many.push_back(seed);
  const auto structure = random_structure(small, many, std::vector<std::int32_t>{2, 1});
  for (std::size_t unit = 0; unit < 6; ++unit) {
    int chosen = 0;
    for (std::int32_t replica = 0; replica < 2000; ++replica) chosen += structure.mask(0, replica)[unit];
    EXPECT_NEAR(chosen, 2000.0 / 3, 85) << unit;  // four standard deviations
  }
}

}  // namespace
}  // namespace cambium
