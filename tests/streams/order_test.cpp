#include "streams/order.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "streams/augmentation.hpp"

namespace cambium {
namespace {

constexpr std::uint32_t images = 103, batch = 10;
const std::vector<std::uint32_t> seeds{1, 2, 3};

// What a replica sees in the course of an epoch.
std::vector<std::int32_t> seen_by(const EpochOrder& order, std::size_t replica) {
  std::vector<std::int32_t> seen;
  for (std::uint32_t step = 0; step < order.steps(); ++step) {
    const auto begin =
        order.indices().begin() + static_cast<std::ptrdiff_t>(order.begin(step) + replica * order.rows(step));
    seen.insert(seen.end(), begin, begin + order.rows(step));
  }
  return seen;
}

TEST(EpochOrder, EveryReplicaSeesEveryImageOnce) {
  const EpochOrder order(images, batch, 4, seeds);
  std::vector<std::int32_t> all(images);
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t replica = 0; replica < seeds.size(); ++replica) {
    auto seen = seen_by(order, replica);
    EXPECT_NE(seen, all) << "not shuffled";
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, all);
  }
}

TEST(EpochOrder, TheLastBatchHasWhatIsLeft) {
  const EpochOrder order(images, batch, 0, seeds);
  ASSERT_EQ(order.steps(), 11u);
  for (std::uint32_t step = 0; step < 10; ++step) EXPECT_EQ(order.rows(step), 10u);
  EXPECT_EQ(order.rows(10), 3u);
  EXPECT_EQ(order.begin(10) + 3 * seeds.size(), order.indices().size());
}

TEST(EpochOrder, ABatchThatDividesTheImagesLeavesNoShortOne) {
  const EpochOrder order(100, 10, 0, seeds);
  EXPECT_EQ(order.steps(), 10u);
  EXPECT_EQ(order.rows(9), 10u);
}

TEST(EpochOrder, ABatchLargerThanTheImagesIsOneStep) {
  const EpochOrder order(7, 10, 0, seeds);
  EXPECT_EQ(order.steps(), 1u);
  EXPECT_EQ(order.rows(0), 7u);
}

TEST(EpochOrder, StepsOfTheStudy) {
  EXPECT_EQ(EpochOrder::steps(50'000, 128), 391u);
  EXPECT_EQ(EpochOrder::steps(60'000, 256), 235u);
}

TEST(EpochOrder, EpochsDiffer) {
  EXPECT_NE(seen_by({images, batch, 0, seeds}, 0), seen_by({images, batch, 1, seeds}, 0));
}

TEST(EpochOrder, SeedsDiffer) {
  const EpochOrder order(images, batch, 0, seeds);
  EXPECT_NE(seen_by(order, 0), seen_by(order, 1));
  EXPECT_NE(seen_by(order, 1), seen_by(order, 2));
}

TEST(EpochOrder, ASeedsOrderDependsNeitherOnItsNeighboursNorOnTheBatch) {
  const std::vector<std::uint32_t> alone{3};
  EXPECT_EQ(seen_by({images, batch, 5, seeds}, 2), seen_by({images, 64, 5, alone}, 0));
}

// Every image comes first about equally often: 103 images over 20 600 epochs, 200 times each.
TEST(EpochOrder, NoImageIsPreferred) {
  const std::vector<std::uint32_t> one{1};
  std::vector<int> first(images), last(images);
  for (std::uint32_t epoch = 0; epoch < 200 * images; ++epoch) {
    const EpochOrder order(images, batch, epoch, one);
    ++first[static_cast<std::size_t>(order.indices().front())];
    ++last[static_cast<std::size_t>(order.indices().back())];
  }
  for (const auto& counts : {first, last}) {
    double chi_square = 0;
    for (const int count : counts) chi_square += (count - 200.0) * (count - 200.0) / 200.0;
    EXPECT_LT(chi_square, 160);  // 102 degrees of freedom: exceeded once in 5000
    EXPECT_GT(chi_square, 58);   // nor too even
  }
}

class Augmentations : public testing::Test {
 protected:
  static constexpr std::uint32_t rows = 100, steps = 81;
  Augmentations() {
    for (std::uint64_t step = 0; step < steps; ++step)
      for (std::uint32_t row = 0; row < rows; ++row) all.push_back(augmentation_at(7, step, row));
  }
  std::vector<Augmentation> all;
};

TEST_F(Augmentations, WindowsStartInsideThePadding) {
  for (const auto& change : all) {
    ASSERT_LE(change.down, 8u);
    ASSERT_LE(change.across, 8u);
  }
}

// 8 100 draws of 81 places, 100 each.
TEST_F(Augmentations, WindowsAreSpreadEvenly) {
  std::vector<int> counts(81);
  for (const auto& change : all) ++counts.at(change.down * 9 + change.across);
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 100.0) * (count - 100.0) / 100.0;
  EXPECT_LT(chi_square, 130);  // 80 degrees of freedom: exceeded once in 3000
  EXPECT_GT(chi_square, 45);
}

TEST_F(Augmentations, HalfOfTheImagesAreMirrored) {
  const auto flips = std::count_if(all.begin(), all.end(), [](const Augmentation& change) { return change.flip; });
  EXPECT_NEAR(static_cast<double>(flips), 4050, 180);  // four standard deviations
}

TEST_F(Augmentations, MirroringDoesNotDependOnTheWindow) {
  int both = 0;
  for (const auto& change : all) both += change.flip && change.down < 4;
  EXPECT_NEAR(both, 8100 * 0.5 * 4 / 9, 160);
}

TEST_F(Augmentations, SeedStepAndRowEachMatter) {
  const auto differ = [](auto one, auto other) {
    int count = 0;
    for (std::uint32_t i = 0; i < 100; ++i) {
      const Augmentation a = one(i), b = other(i);
      count += a.down != b.down || a.across != b.across || a.flip != b.flip;
    }
    return count > 90;
  };
  const auto base = [](std::uint32_t row) { return augmentation_at(7, 3, row); };
  EXPECT_TRUE(differ(base, [](std::uint32_t row) { return augmentation_at(8, 3, row); }));
  EXPECT_TRUE(differ(base, [](std::uint32_t row) { return augmentation_at(7, 4, row); }));
  EXPECT_TRUE(differ(base, [](std::uint32_t row) { return augmentation_at(7, 3 + (std::uint64_t{1} << 32), row); }));
  EXPECT_TRUE(differ(base, [](std::uint32_t row) { return augmentation_at(7, 3, row + 1); }));
}

}  // namespace
}  // namespace cambium
