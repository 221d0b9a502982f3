// Steps and batches of curricula, compared with the study's tables and with a naive implementation.

#include "streams/curriculum.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/shuffle.hpp"
#include "tests/streams/small_curricula.hpp"

namespace cambium {
namespace {

// Naive implementation: the batches of a period, as all passes in a row, cut into batches, plus the replayed images.
std::vector<Numbers> plain_batches(const Curriculum& curriculum, std::size_t replica, std::uint32_t seed,
                                   std::int32_t period) {
  const auto& settings = curriculum.settings();
  const bool shifting = settings.entry().kind == StreamEntry::Kind::shifting;
  const std::int32_t number = settings.task_of(period);
  const Task task = curriculum.task(replica, number);
  const auto count = curriculum.image_count(task);
  const auto pass = [&](std::int32_t which) {
    const std::int32_t sequence = shifting ? 65'536 * number + which : period;
    Numbers images;
    for (const auto place : shuffled(count, {{seed, philox::data_order}}, static_cast<std::uint32_t>(sequence)))
      images.push_back(task.images.empty() ? place : task.images.at(static_cast<std::size_t>(place)));
    return images;
  };
  const std::size_t own = settings.replay && number > 0 ? settings.batch - settings.batch / 2 : settings.batch;
  std::vector<Numbers> batches;
  const auto cut = [&](const Numbers& images) {
    for (std::size_t first = 0; first < images.size(); first += own)
      batches.emplace_back(images.begin() + static_cast<std::ptrdiff_t>(first),
                           images.begin() + static_cast<std::ptrdiff_t>(std::min(first + own, images.size())));
  };
  if (settings.steps_per_task > 0) {
    const auto steps = static_cast<std::size_t>(settings.steps_per_task);
    Numbers draws;
    for (std::int32_t which = 0; draws.size() < steps * own; ++which) {
      const auto images = pass(which);
      draws.insert(draws.end(), images.begin(), images.end());
    }
    draws.resize(steps * own);
    cut(draws);
  } else {
    for (std::int32_t which = 0; which < (shifting ? settings.epochs_per_task : 1); ++which) cut(pass(which));
  }
  if (!settings.replay || number == 0) return batches;
  const auto& kept = curriculum.kept(replica);
  for (std::size_t step = 0; step < batches.size(); ++step) {
    const auto replays = std::min<std::size_t>(batches[step].size(), settings.batch / 2);
    for (std::uint32_t row = 0; row < replays; ++row)
      batches[step].push_back(
          kept.at(replayed(seed, static_cast<std::uint32_t>(period), static_cast<std::uint32_t>(step), row,
                           static_cast<std::uint32_t>(kept.size()))));
  }
  return batches;
}

TEST(CurriculumSettings, StepsOfTheStudy) {
  struct Row {
    std::string stream;
    std::int32_t periods;
    std::uint32_t first_task, later_tasks;  // steps of a period
    std::uint64_t in_all;
  };
  const std::vector<Row> rows{
      {"mnist", 100, 235, 235, 23'500},
      {"fashion-mnist", 100, 235, 235, 23'500},
      {"cifar-10", 200, 391, 391, 78'200},
      {"cifar-100", 200, 391, 391, 78'200},
      {"split-mnist", 100, 51, 102, 20 * 51 + 80 * 102},  // 13 007 images
      {"split-fashion", 100, 47, 94, 20 * 47 + 80 * 94},
      {"split-cifar100", 200, 40, 40, 10 * 800},
      {"permuted-mnist", 500, 625, 625, 500 * 625},
      {"random-label-mnist", 50, 30'000, 30'000, 50 * 30'000},
      {"random-label-cifar", 50, 30'000, 30'000, 50 * 30'000},
      {"5+1-cifar", 30, 780, 780, 30 * 780},
      {"continual-imagenet", 500, 120, 120, 500 * 120},
  };
  EXPECT_EQ(rows.size(), streams().size());
  for (const auto& row : rows) {
    const auto settings = study(row.stream);
    EXPECT_EQ(settings.periods(), row.periods) << row.stream;
    EXPECT_EQ(settings.step_numbers(0), row.first_task) << row.stream;
    EXPECT_EQ(settings.step_numbers(row.periods - 1), row.later_tasks) << row.stream;
    EXPECT_EQ(settings.step_numbers(), row.in_all) << row.stream;
  }
}

TEST(CurriculumSettings, BatchesAndImagesOfTheStudy) {
  const std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> rows{
      {"mnist", {256, 60'000}},         {"fashion-mnist", {256, 60'000}},    {"cifar-10", {128, 50'000}},
      {"cifar-100", {128, 50'000}},     {"split-mnist", {256, 13'007}},      {"split-fashion", {256, 12'000}},
      {"split-cifar100", {128, 5'000}}, {"permuted-mnist", {16, 10'000}},    {"random-label-mnist", {16, 1'200}},
      {"5+1-cifar", {32, 2'500}},       {"random-label-cifar", {16, 1'200}}, {"continual-imagenet", {100, 1'200}},
  };
  for (const auto& [name, expected] : rows) {
    EXPECT_EQ(study(name).batch, expected.first) << name;
    EXPECT_EQ(study(name).task_images, expected.second) << name;
    EXPECT_EQ(study(name).rows(), expected.first) << name;
  }
}

TEST(CurriculumSettings, OnlySplitMnistAndSplitFashionReplay) {
  for (const auto& entry : streams())
    EXPECT_EQ(study_settings(entry).replay, entry.name == "split-mnist" || entry.name == "split-fashion") << entry.name;
}

TEST(CurriculumSettings, PeriodsFollowEachOtherWithoutGaps) {
  for (const auto& entry : streams()) {
    const auto settings = study_settings(entry);
    EXPECT_EQ(settings.first_step(0), 0u);
    for (std::int32_t period = 0; period < settings.periods(); ++period)
      ASSERT_EQ(settings.first_step(period + 1), settings.first_step(period) + settings.step_numbers(period))
          << entry.name << " period " << period;
  }
}

TEST(CurriculumSettings, APeriodIsAnEpochOrATaskOfAShiftingStream) {
  const auto split = study("split-mnist"), permuted = study("permuted-mnist"), random = study("random-label-mnist");
  EXPECT_EQ(split.task_of(19), 0);
  EXPECT_EQ(split.task_of(20), 1);
  EXPECT_EQ(permuted.task_of(7), 7);
  EXPECT_EQ(random.task_of(7), 7);
}

TEST(CurriculumSettings, HalfOfABatchIsReplayedFromTheSecondTaskOn) {
  auto settings = study("split-mnist");
  EXPECT_EQ(settings.own_rows(0), 256u);
  EXPECT_EQ(settings.own_rows(1), 128u);
  settings.batch = 257;  // floor(257 / 2) images are replayed
  EXPECT_EQ(settings.own_rows(1), 129u);
}

TEST(CurriculumSettings, ABatchHasNoMoreRowsThanItCanHaveImages) {
  auto settings = study("mnist");
  settings.task_images = 100;
  EXPECT_EQ(settings.rows(), 100u);
  settings = study("split-mnist");
  settings.task_images = 100;
  EXPECT_EQ(settings.rows(), 200u);  // the other 100 are replayed
  settings = study("5+1-cifar");
  settings.task_images = 10;  // a batch contains several passes
  EXPECT_EQ(settings.rows(), 32u);
}

TEST(Curriculum, BatchesEqualThoseOfTheNaiveImplementation) {
  const Seeds seeds{3, 8};
  for (const auto& small : all_small()) {
    auto curriculum = small(seeds);
    for (std::int32_t period = 0; period < small.settings.periods(); ++period) {
      curriculum.go_to(period);
      for (std::size_t replica = 0; replica < seeds.size(); ++replica)
        ASSERT_EQ(batches_of(curriculum, replica), plain_batches(curriculum, replica, seeds[replica], period))
            << small.settings.stream << " period " << period << " seed " << seeds[replica];
    }
  }
}

TEST(Curriculum, AWholeDataSetIsShuffledAnewInEveryEpoch) {
  auto curriculum = small_iid()({5});
  for (std::int32_t period = 0; period < 4; ++period) {
    curriculum.go_to(period);
    EXPECT_EQ(joined(batches_of(curriculum, 0)),
              shuffled(70, {{5, philox::data_order}}, static_cast<std::uint32_t>(period)));
  }
}

TEST(Curriculum, AnEpochShowsEveryImageOfTheTaskOnce) {
  for (const auto& small : {small_iid(), small_split(false)}) {
    auto curriculum = small({5});
    for (std::int32_t period = 0; period < small.settings.periods(); ++period) {
      curriculum.go_to(period);
      const auto& images = curriculum.task(0).images;
      ASSERT_EQ(sorted(joined(batches_of(curriculum, 0))), images.empty() ? numbers_below(70) : images);
    }
  }
}

TEST(Curriculum, EveryPassOfAShiftingTaskShowsEveryImageOnce) {
  for (const auto& small : {small_permuted(), small_random_labels(), small_imagenet()}) {
    auto curriculum = small({5});
    curriculum.go_to(2);
    const auto batches = batches_of(curriculum, 0);
    const auto each = batches.size() / static_cast<std::size_t>(small.settings.epochs_per_task);
    for (std::size_t first = 0; first < batches.size(); first += each)
      EXPECT_EQ(sorted(joined({batches.begin() + static_cast<std::ptrdiff_t>(first),
                               batches.begin() + static_cast<std::ptrdiff_t>(first + each)})),
                curriculum.task(0).images)
          << small.settings.stream;
  }
}

TEST(Curriculum, TheLastBatchOfAPassHasTheRemainingImages) {
  auto iid = small_iid()({5});
  iid.go_to(1);
  auto batches = batches_of(iid, 0);
  ASSERT_EQ(batches.size(), 9u);
  for (std::size_t step = 0; step < 8; ++step) EXPECT_EQ(batches[step].size(), 8u);
  EXPECT_EQ(batches[8].size(), 6u);

  auto permuted = small_permuted()({5});
  permuted.go_to(1);
  std::vector<std::size_t> sizes;
  for (const auto& batch : batches_of(permuted, 0)) sizes.push_back(batch.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{8, 8, 8, 6, 8, 8, 8, 6}));
}

TEST(Curriculum, OrdersDifferBetweenEpochsTasksPassesAndSeeds) {
  const auto order = [](const Small& small, std::uint32_t seed, std::int32_t period) {
    auto curriculum = small({seed});
    curriculum.go_to(period);
    return joined(batches_of(curriculum, 0));
  };
  EXPECT_NE(order(small_iid(), 5, 0), order(small_iid(), 5, 1));
  EXPECT_NE(order(small_iid(), 5, 0), order(small_iid(), 6, 0));
  EXPECT_NE(order(small_split(false), 5, 3), order(small_split(false), 5, 4));  // two epochs of one task
  // The same images in two tasks, and in two passes of one task.
  EXPECT_NE(order(small_random_labels(), 5, 0), order(small_random_labels(), 5, 1));
  const auto passes = order(small_random_labels(), 5, 0);
  EXPECT_NE(Numbers(passes.begin(), passes.begin() + 24), Numbers(passes.begin() + 24, passes.begin() + 48));
}

TEST(Curriculum, BatchesDoNotDependOnTheFirstPeriod) {
  for (const auto& small : all_small()) {
    const std::int32_t last = small.settings.periods() - 1;
    auto through = small({5}), jumped = small({5});
    for (std::int32_t period = 0; period <= last; ++period) through.go_to(period);
    jumped.go_to(last);
    EXPECT_EQ(batches_of(jumped, 0), batches_of(through, 0)) << small.settings.stream;
    EXPECT_EQ(jumped.kept(0), through.kept(0)) << small.settings.stream;
    // Backwards.
    auto fresh = small({5});
    fresh.go_to(0);
    through.go_to(0);
    EXPECT_EQ(batches_of(through, 0), batches_of(fresh, 0)) << small.settings.stream;
  }
}

TEST(Curriculum, BatchesDoNotDependOnTheOrderOfCalls) {
  for (const auto& small : all_small()) {
    auto curriculum = small({5});
    curriculum.go_to(1);
    const auto forwards = batches_of(curriculum, 0);
    for (std::size_t step = forwards.size(); step-- > 0;)
      ASSERT_EQ(batch_of(curriculum, 0, static_cast<std::uint32_t>(step)), forwards[step])
          << small.settings.stream << " step " << step;
  }
}

TEST(Curriculum, ASeedSeesTheSameImagesAloneAndNextToOthers) {
  for (const auto& small : all_small()) {
    auto alone = small({5}), beside = small({1, 5, 9});
    for (const std::int32_t period : {0, small.settings.periods() - 1}) {
      alone.go_to(period);
      beside.go_to(period);
      EXPECT_EQ(beside.task(1).images, alone.task(0).images) << small.settings.stream;
      EXPECT_EQ(beside.task(1).pixels, alone.task(0).pixels) << small.settings.stream;
      EXPECT_EQ(beside.steps(1), alone.steps(0)) << small.settings.stream;
      EXPECT_EQ(batches_of(beside, 1), batches_of(alone, 0)) << small.settings.stream;
    }
  }
}

TEST(Curriculum, TaskByNumberEqualsTheCurrentTask) {
  for (const auto& small : all_small()) {
    auto curriculum = small({5, 6});
    const std::int32_t last = small.settings.tasks - 1;
    curriculum.go_to(small.settings.periods() - 1);
    EXPECT_EQ(curriculum.task(1).images, curriculum.task(1, last).images) << small.settings.stream;
    EXPECT_EQ(curriculum.task(1).pixels, curriculum.task(1, last).pixels) << small.settings.stream;
  }
}

TEST(Curriculum, KeepFirstIsPassedToTheStream) {
  auto small = small_permuted();
  EXPECT_EQ(small({5}).task(0, 0).pixels.size(), 784u);
  small.settings.keep_first = true;
  EXPECT_TRUE(small({5}).task(0, 0).pixels.empty());
  EXPECT_EQ(small({5}).task(0, 1).pixels.size(), 784u);
}

class FivePlusOneOfTheStudy : public testing::Test {
 protected:
  FivePlusOneOfTheStudy() : curriculum(study("5+1-cifar"), images_labelled(made_labels(100, 500)), 100, Seeds{1}) {}

  Numbers draws(std::int32_t task) {
    curriculum.go_to(task);
    return joined(batches_of(curriculum, 0));
  }
  // The smallest and the largest number of draws of an image of the task.
  static std::pair<int, int> extremes(const Numbers& draws) {
    std::map<std::int32_t, int> times;
    for (const auto image : draws) ++times[image];
    const auto [least, most] =
        std::minmax_element(times.begin(), times.end(), [](auto a, auto b) { return a.second < b.second; });
    return {least->second, most->second};
  }
  Curriculum curriculum;
};

TEST_F(FivePlusOneOfTheStudy, EveryBatchIsFull) {
  for (const std::int32_t task : {0, 1}) {
    curriculum.go_to(task);
    EXPECT_EQ(curriculum.steps(0), 780u);
    for (const auto& batch : batches_of(curriculum, 0)) ASSERT_EQ(batch.size(), 32u);
  }
}

TEST_F(FivePlusOneOfTheStudy, AHardTaskIsNearlyTenPassesOver2500Images) {
  const auto all = draws(0);
  EXPECT_EQ(all.size(), 24'960u);
  EXPECT_EQ(curriculum.task(0).images.size(), 2'500u);
  EXPECT_EQ(extremes(all), (std::pair{9, 10}));
}

TEST_F(FivePlusOneOfTheStudy, AnEasyTaskIsNearlyFiftyPassesOver500Images) {
  const auto all = draws(1);
  EXPECT_EQ(all.size(), 24'960u);
  EXPECT_EQ(curriculum.task(0).images.size(), 500u);
  EXPECT_EQ(extremes(all), (std::pair{49, 50}));
}

TEST_F(FivePlusOneOfTheStudy, DrawsAreWholePermutationsWithoutGaps) {
  for (const std::int32_t task : {0, 1}) {
    const auto all = draws(task);
    const auto& images = curriculum.task(0).images;
    const auto each = static_cast<std::ptrdiff_t>(images.size());
    Numbers before;
    for (auto pass = all.begin(); all.end() - pass >= each; pass += each) {
      const Numbers order(pass, pass + each);
      ASSERT_EQ(sorted(order), images) << "task " << task;
      ASSERT_NE(order, before) << "task " << task;
      before = order;
    }
  }
}

// One seed whose task has few images, next to one whose task has many.
class UnequalTasks : public testing::Test {
 protected:
  UnequalTasks() : curriculum(small_split(false)(seeds)) { curriculum.go_to(0); }

  const Seeds seeds{1, 2, 3, 4, 5, 6, 7, 8};
  Curriculum curriculum;
};

TEST_F(UnequalTasks, AReplicaHasOneStepPerBatchOfItsTask) {
  std::set<std::uint32_t> different;
  for (std::size_t replica = 0; replica < seeds.size(); ++replica) {
    std::size_t images = 0;
    for (const auto c : classes_among(curriculum.task(replica).images, labels_with_counts(digits)))
      images += digits[static_cast<std::size_t>(c)];
    EXPECT_EQ(curriculum.steps(replica), (images + 15) / 16);
    different.insert(curriculum.steps(replica));
  }
  EXPECT_GT(different.size(), 1u) << "the seeds of this test are to differ";
  EXPECT_EQ(curriculum.steps(), *different.rbegin());
}

TEST_F(UnequalTasks, AFinishedReplicaHasEmptyBatches) {
  for (std::size_t replica = 0; replica < seeds.size(); ++replica)
    for (std::uint32_t step = curriculum.steps(replica); step < curriculum.settings().step_numbers(0); ++step)
      EXPECT_TRUE(batch_of(curriculum, replica, step).empty());
}

TEST_F(UnequalTasks, StepNumbersAreThoseOfTheLargestPossibleTask) {
  EXPECT_EQ(curriculum.settings().step_numbers(0), 9u);  // 130 images
  EXPECT_LE(curriculum.steps(), 9u);
  EXPECT_EQ(curriculum.settings().first_step(3), 27u);
}

TEST_F(UnequalTasks, ATaskAboveTheLimitIsRefused) {
  auto small = small_split(false);
  small.settings.task_images = 60;
  auto wrong = small({1});
  EXPECT_THROW(wrong.go_to(0), std::logic_error);
}

TEST_F(UnequalTasks, ATaskAboveTheLimitIsRefusedEvenWithTheSameNumberOfSteps) {
  auto small = small_split(false);
  small.settings.task_images = 60;
  small.settings.batch = 1000;
  auto wrong = small({1});
  EXPECT_THROW(wrong.go_to(0), std::logic_error);
}

TEST(CurriculumSample, HasDistinctImagesOfTheTask) {
  const auto curriculum = small_split()({7});
  const auto task = curriculum.task(0, 2);
  const auto sample = sorted(curriculum.sample(0, task, 20, philox::diagnosis, 3));
  EXPECT_EQ(sample.size(), 20u);
  EXPECT_EQ(std::set<std::int32_t>(sample.begin(), sample.end()).size(), 20u);
  EXPECT_TRUE(std::includes(task.images.begin(), task.images.end(), sample.begin(), sample.end()));
}

TEST(CurriculumSample, DependsOnSeedPurposeAndSequence) {
  const auto curriculum = small_iid()({7, 8});
  const auto base = curriculum.sample(0, {}, 20, philox::diagnosis, 3);
  EXPECT_EQ(base, curriculum.sample(0, {}, 20, philox::diagnosis, 3));
  EXPECT_NE(base, curriculum.sample(1, {}, 20, philox::diagnosis, 3));
  EXPECT_NE(base, curriculum.sample(0, {}, 20, philox::scoring_batch, 3));
  EXPECT_NE(base, curriculum.sample(0, {}, 20, philox::diagnosis, 4));
}

}  // namespace
}  // namespace cambium
