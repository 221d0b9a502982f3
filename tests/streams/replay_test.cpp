// The images that replay keeps of earlier tasks, and their place in batches.

#include "streams/replay.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/streams/small_curricula.hpp"

namespace cambium {
namespace {

// Classes of 300 images each: class c has the images 1000 c, 1000 c + 1, ...
SeenImages seen_classes(std::int32_t classes, std::int32_t each = 300) {
  SeenImages seen;
  for (std::int32_t c = 0; c < classes; ++c)
    for (std::int32_t i = 0; i < each; ++i) seen[c].push_back(1000 * c + i);
  return seen;
}

std::vector<std::int32_t> of_class(const std::vector<std::int32_t>& kept, std::int32_t c) {
  std::vector<std::int32_t> images;
  std::copy_if(kept.begin(), kept.end(), std::back_inserter(images), [c](auto image) { return image / 1000 == c; });
  return images;
}

TEST(Replay, TheQuotaObeysBothLimits) {
  const ReplayLimits limits;
  const std::vector<std::int32_t> expected{0, 50, 50, 50, 50, 40, 33, 28, 25, 22, 20};
  for (std::size_t classes = 0; classes < expected.size(); ++classes)
    EXPECT_EQ(limits.quota(classes), expected[classes]) << classes << " classes";
}

TEST(Replay, TheLimitsCanBeChanged) {
  const ReplayLimits limits{.per_class = 7, .in_all = 20};
  EXPECT_EQ(limits.quota(2), 7);
  EXPECT_EQ(limits.quota(3), 6);
  EXPECT_EQ(limits.quota(21), 0);
}

TEST(Replay, EveryClassHasItsQuota) {
  for (const std::int32_t classes : {2, 4, 6, 8}) {
    const auto kept = kept_images(seen_classes(classes), {}, 1);
    const auto quota = static_cast<std::size_t>(ReplayLimits{}.quota(static_cast<std::size_t>(classes)));
    for (std::int32_t c = 0; c < classes; ++c)
      EXPECT_EQ(of_class(kept, c).size(), quota) << "class " << c << " of " << classes;
  }
}

TEST(Replay, NoImageIsKeptTwice) {
  const auto kept = kept_images(seen_classes(6), {}, 1);
  EXPECT_EQ(std::set<std::int32_t>(kept.begin(), kept.end()).size(), kept.size());
}

TEST(Replay, ASmallerQuotaKeepsASubset) {
  for (const std::int32_t classes : {6, 8, 10}) {
    const auto before = kept_images(seen_classes(classes - 2), {}, 1),
               after = kept_images(seen_classes(classes), {}, 1);
    for (std::int32_t c = 0; c < classes - 2; ++c) {
      const auto had = sorted(of_class(before, c)), has = sorted(of_class(after, c));
      EXPECT_LT(has.size(), had.size());
      EXPECT_TRUE(std::includes(had.begin(), had.end(), has.begin(), has.end())) << "class " << c << " of " << classes;
    }
  }
}

TEST(Replay, AllImagesOfASmallClassAreKept) {
  auto seen = seen_classes(2);
  seen[1].resize(30);
  const auto kept = kept_images(seen, {}, 1);
  EXPECT_EQ(of_class(kept, 0).size(), 50u);
  EXPECT_EQ(sorted(of_class(kept, 1)), seen[1]);
}

TEST(Replay, WithoutSeenImagesNoneAreKept) { EXPECT_TRUE(kept_images({}, {}, 1).empty()); }

TEST(Replay, SeedsAndClassesKeepDifferentImages) {
  const auto one = kept_images(seen_classes(2), {}, 1), two = kept_images(seen_classes(2), {}, 2);
  EXPECT_NE(one, two);
  auto shifted = of_class(one, 0);
  for (auto& image : shifted) image += 1000;
  EXPECT_NE(shifted, of_class(one, 1));
}

// 4000 seeds keep 5 of 20 images (a subset of 10 with fewer classes): 1000 times each.
TEST(Replay, EveryImageIsKeptEquallyOften) {
  const ReplayLimits limits{.per_class = 10, .in_all = 10};
  std::vector<int> counts(20);
  for (std::uint32_t seed = 0; seed < 4000; ++seed)
    for (const auto image : of_class(kept_images(seen_classes(2, 20), limits, seed), 1))
      ++counts.at(static_cast<std::size_t>(image - 1000));
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 20'000);
  EXPECT_LT(chi_square(counts), 48);  // 19 degrees of freedom: exceeded less than once in 3000
}

// 20 000 draws of 100 images: 200 expected for each.
TEST(Replay, DrawsAreUniform) {
  std::vector<int> counts(100);
  for (std::uint32_t step = 0; step < 200; ++step)
    for (std::uint32_t row = 0; row < 100; ++row) ++counts.at(replayed(1, 20, step, row, 100));
  EXPECT_LT(chi_square(counts), 155);  // 99 degrees of freedom: exceeded less than once in 3000
  EXPECT_GT(chi_square(counts), 55);   // with replacement, so the counts differ
}

// Two series of 1000 draws of 100 images agree in about ten places.
TEST(Replay, SeedPeriodStepAndRowEachMatter) {
  int seeds = 0, periods = 0, steps = 0, rows = 0;
  for (std::uint32_t row = 0; row < 1000; ++row) {
    const auto base = replayed(1, 20, 3, row, 100);
    seeds += base == replayed(2, 20, 3, row, 100);
    periods += base == replayed(1, 21, 3, row, 100);
    steps += base == replayed(1, 20, 4, row, 100);
    rows += base == replayed(1, 20, 3, row + 1, 100);
  }
  for (const int agree : {seeds, periods, steps, rows}) EXPECT_LT(agree, 30);
}

// The rows of a batch: images of the task first, then the replayed ones.
class ReplayInBatches : public testing::Test {
 protected:
  ReplayInBatches() : small(small_split()), curriculum(small({7})) {}

  // The images of a batch that are not of the task.
  static Numbers replays(const Curriculum& curriculum, const Numbers& batch) {
    const auto& own = curriculum.task(0).images;
    Numbers others;
    for (const auto image : batch)
      if (!std::binary_search(own.begin(), own.end(), image)) others.push_back(image);
    return others;
  }
  Small small;
  Curriculum curriculum;
};

TEST_F(ReplayInBatches, AreMissingInTheFirstTask) {
  for (const std::int32_t period : {0, 2}) {
    curriculum.go_to(period);
    EXPECT_TRUE(curriculum.kept(0).empty());
    EXPECT_EQ(sorted(joined(batches_of(curriculum, 0))), curriculum.task(0).images);
  }
}

TEST_F(ReplayInBatches, AreHalfOfEveryBatchOfLaterTasks) {
  for (std::int32_t period = 3; period < 15; ++period) {
    curriculum.go_to(period);
    const auto batches = batches_of(curriculum, 0);
    for (std::size_t step = 0; step < batches.size(); ++step) {
      if (step + 1 < batches.size()) {
        ASSERT_EQ(batches[step].size(), 16u);
      }
      ASSERT_EQ(replays(curriculum, batches[step]).size(), batches[step].size() / 2)
          << "period " << period << " step " << step;
    }
  }
}

TEST_F(ReplayInBatches, AnOddBatchHasOneMoreImageOfItsTask) {
  small.settings.batch = 17;
  auto odd = small({7});
  odd.go_to(3);
  const auto batch = batch_of(odd, 0, 0);
  EXPECT_EQ(batch.size(), 17u);
  EXPECT_EQ(replays(odd, batch).size(), 8u);
}

TEST_F(ReplayInBatches, AnEpochIsOnePassOverTheTasksOwnImages) {
  for (std::int32_t period = 3; period < 15; ++period) {
    curriculum.go_to(period);
    Numbers own;
    for (const auto& batch : batches_of(curriculum, 0)) {
      const auto others = replays(curriculum, batch);
      own.insert(own.end(), batch.begin(), batch.end() - static_cast<std::ptrdiff_t>(others.size()));
    }
    EXPECT_EQ(sorted(own), curriculum.task(0).images);
    EXPECT_EQ(curriculum.steps(0), (own.size() + 7) / 8);
  }
}

TEST_F(ReplayInBatches, ComeFromExactlyTheClassesOfEarlierTasks) {
  std::set<std::int32_t> before;
  for (std::int32_t task = 0; task < 5; ++task) {
    curriculum.go_to(3 * task + 2);
    Numbers others;
    for (const auto& batch : batches_of(curriculum, 0)) {
      const auto some = replays(curriculum, batch);
      others.insert(others.end(), some.begin(), some.end());
    }
    EXPECT_EQ(classes_among(others, small.images.labels), before) << "task " << task;
    before.merge(classes_among(curriculum.task(0).images, small.images.labels));
  }
}

TEST_F(ReplayInBatches, KeepTheQuotaOfEveryClassSeen) {
  const std::vector<std::size_t> quotas{0, 12, 12, 8, 6};  // 48 in total
  for (std::int32_t task = 0; task < 5; ++task) {
    curriculum.go_to(3 * task);
    std::map<int, std::size_t> counts;
    for (const auto image : curriculum.kept(0)) ++counts[small.images.labels[static_cast<std::size_t>(image)]];
    EXPECT_EQ(counts.size(), 2 * static_cast<std::size_t>(task));
    for (const auto& [label, count] : counts) EXPECT_EQ(count, quotas[static_cast<std::size_t>(task)]) << label;
  }
}

TEST_F(ReplayInBatches, TheKeptImagesAreConstantWithinATaskAndShrinkToASubset) {
  std::set<std::int32_t> before;
  for (std::int32_t task = 1; task < 5; ++task) {
    curriculum.go_to(3 * task);
    const auto kept = curriculum.kept(0);
    curriculum.go_to(3 * task + 2);
    EXPECT_EQ(curriculum.kept(0), kept);
    const auto last_pair = curriculum.task(0, task - 1).images;
    for (const auto image : kept) {
      const bool is_new = std::binary_search(last_pair.begin(), last_pair.end(), image);
      EXPECT_TRUE(is_new || before.contains(image)) << "task " << task << " brought back image " << image;
    }
    before = {kept.begin(), kept.end()};
  }
}

// 48 kept images; each is drawn more than a hundred times.
TEST_F(ReplayInBatches, AreDrawnUniformlyWithReplacement) {
  small.settings.epochs_per_task = 60;
  auto longer = small({7});
  std::map<std::int32_t, int> times;
  bool twice_in_a_batch = false;
  for (std::int32_t period = 4 * 60; period < 5 * 60; ++period) {
    longer.go_to(period);
    for (const auto& batch : batches_of(longer, 0)) {
      const auto others = replays(longer, batch);
      twice_in_a_batch |= std::set<std::int32_t>(others.begin(), others.end()).size() < others.size();
      for (const auto image : others) ++times[image];
    }
  }
  std::vector<int> counts;
  for (const auto& [image, count] : times) counts.push_back(count);
  ASSERT_EQ(counts.size(), 48u);
  EXPECT_LT(chi_square(counts), 89);  // 47 degrees of freedom: exceeded once in 5000
  EXPECT_GT(chi_square(counts), 20);
  EXPECT_TRUE(twice_in_a_batch);
}

TEST_F(ReplayInBatches, OfTheStudyHaveTheExpectedNumberOfSteps) {
  Curriculum full(study("split-fashion"), images_labelled(made_labels(10, 6'000)), 10, Seeds{1});
  full.go_to(19);
  EXPECT_EQ(full.steps(0), 47u);  // ceil(12 000 / 256)
  EXPECT_EQ(batch_of(full, 0, 46).size(), 12'000u - 46 * 256);
  full.go_to(20);
  EXPECT_EQ(full.steps(0), 94u);  // ceil(12 000 / 128)
  EXPECT_EQ(batch_of(full, 0, 0).size(), 256u);
  EXPECT_EQ(batch_of(full, 0, 93).size(), 2 * (12'000u - 93 * 128));
  EXPECT_EQ(full.kept(0).size(), 100u);
}

}  // namespace
}  // namespace cambium
