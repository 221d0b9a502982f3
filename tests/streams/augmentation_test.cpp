#include "streams/augmentation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace cambium {
namespace {

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

// 8 100 draws over 81 places: 100 expected for each.
TEST_F(Augmentations, WindowsAreSpreadEvenly) {
  std::vector<int> counts(81);
  for (const auto& change : all) ++counts.at(change.down * 9 + change.across);
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 100.0) * (count - 100.0) / 100.0;
  EXPECT_LT(chi_square, 130);  // 80 degrees of freedom: exceeded by chance once in 3000
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
