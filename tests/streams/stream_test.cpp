// The tasks of every stream, compared with the study's definition.

#include "streams/stream.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "streams/random_label.hpp"
#include "tests/streams/data/made_files.hpp"
#include "tests/streams/made_labels.hpp"

namespace cambium {
namespace {

using Numbers = std::vector<std::int32_t>;

// Tasks of one stream on made-up labels.
struct TaskMaker {
  const StreamEntry& entry;
  std::vector<std::uint16_t> labels;
  std::int32_t classes = 0;
  std::uint32_t images = 0;
  std::int32_t positions = 784;
  bool keep_first = false;

  TaskMaker(const std::string& name, std::uint16_t class_count, std::size_t each, std::uint32_t task_images = 0)
      : entry(stream_entry(name)), labels(made_labels(class_count, each)), classes(class_count), images(task_images) {}

  Task operator()(std::uint32_t seed, std::int32_t task) const {
    const ImagesByClass data(labels, classes);
    return entry.make_task(
        {.seed = seed, .task = task, .data = data, .positions = positions, .images = images, .keep_first = keep_first});
  }
  std::set<std::int32_t> classes_of(std::uint32_t seed, std::int32_t task) const {
    return classes_among((*this)(seed, task).images, labels);
  }
};

// One entry for every stream with make_task(), with few images.
std::vector<TaskMaker> all_makers() {
  std::vector<TaskMaker> makers;
  for (const auto& entry : streams()) {
    if (entry.make_task == nullptr) continue;
    const std::uint16_t classes = entry.data == "imagenet-32" ? 1000 : entry.data == "cifar-100" ? 100 : 10;
    makers.emplace_back(entry.name, classes, 20, 30);
  }
  return makers;
}

bool same(const Task& a, const Task& b) {
  return a.images == b.images && a.pixels == b.pixels && a.class_labels == b.class_labels &&
         a.random_labels == b.random_labels;
}

TEST(Streams, NamesAreUnique) {
  const auto names = stream_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(Streams, HaveADescription) {
  for (const auto& entry : streams()) EXPECT_FALSE(entry.description.empty() || entry.a_task.empty()) << entry.name;
}

TEST(Streams, AnUnknownNameIsRefusedAndTheNearestNamed) {
  EXPECT_EQ(refusal([] { stream_entry("split-mnits"); }), "unknown stream 'split-mnits'. Did you mean split-mnist?");
}

TEST(Streams, ANameLikeNoOtherIsRefusedAndAllAreListed) {
  EXPECT_NE(refusal([] { stream_entry("zzzzzzzzzz"); }).find("permuted-mnist, random-label-mnist"), std::string::npos);
}

TEST(Streams, ATaskIsAFunctionOfTheSeed) {
  for (const auto& make : all_makers())
    for (std::int32_t task = 0; task < 4; ++task)
      EXPECT_TRUE(same(make(7, task), make(7, task))) << make.entry.name << " task " << task;
}

TEST(Streams, SeedsHaveDifferentTasks) {
  for (const auto& make : all_makers()) {
    bool other = false;
    for (std::int32_t task = 0; task < 4; ++task) other |= !same(make(7, task), make(8, task));
    EXPECT_TRUE(other) << make.entry.name;
  }
}

TEST(Streams, ImagesOfATaskAreInAscendingOrderWithoutRepeats) {
  for (const auto& make : all_makers()) {
    const auto images = make(7, 1).images;
    EXPECT_EQ(std::adjacent_find(images.begin(), images.end(), std::greater_equal<>()), images.end())
        << make.entry.name;
  }
}

TEST(Streams, TheStudysLengthIsWithinTheLimits) {
  for (const auto& entry : streams()) {
    EXPECT_LE(entry.tasks, entry.most_tasks) << entry.name;
    EXPECT_NE(entry.epochs_per_task > 0, entry.steps_per_task > 0) << entry.name;
  }
}

// curriculum.cpp has 16 bits for the task in the number of an order.
TEST(Streams, AStreamHasAtMost65536Tasks) {
  for (const auto& entry : streams()) EXPECT_LE(entry.most_tasks, 65'536) << entry.name;
}

TEST(IidStreams, HaveOneTaskWithAllImages) {
  for (const std::string name : {"mnist", "fashion-mnist", "cifar-10", "cifar-100"}) {
    const auto& entry = stream_entry(name);
    EXPECT_EQ(entry.make_task, nullptr) << name;
    EXPECT_EQ(entry.most_tasks, 1) << name;
    EXPECT_EQ(entry.kind, StreamEntry::Kind::iid) << name;
    EXPECT_EQ(entry.data, name);
  }
}

struct Split {
  std::string name;
  std::uint16_t classes;
  std::size_t classes_per_task;
};

const std::vector<Split> splits{{"split-mnist", 10, 2}, {"split-fashion", 10, 2}, {"split-cifar100", 100, 10}};

TEST(SplitStreams, TasksPartitionTheClasses) {
  for (const auto& split : splits) {
    const TaskMaker make(split.name, split.classes, 3);
    std::set<std::int32_t> all;
    std::size_t sum = 0;
    for (std::int32_t task = 0; task < make.entry.tasks; ++task) {
      const auto classes = make.classes_of(5, task);
      EXPECT_EQ(classes.size(), split.classes_per_task) << split.name;
      sum += classes.size();
      all.insert(classes.begin(), classes.end());
    }
    EXPECT_EQ(sum, split.classes) << split.name;
    EXPECT_EQ(all.size(), split.classes) << split.name << ": a class in two tasks";
  }
}

TEST(SplitStreams, ATaskHasAllImagesOfItsClasses) {
  for (const auto& split : splits) {
    const TaskMaker make(split.name, split.classes, 3);
    EXPECT_EQ(make(5, 2).images.size(), 3 * split.classes_per_task) << split.name;
  }
}

// 45 pairs: 100 expected for each.
TEST(SplitStreams, AllPairsOfClassesAreEquallyLikely) {
  const TaskMaker make("split-mnist", 10, 1);
  for (const std::int32_t task : {0, 4}) {
    std::vector<int> counts(100);
    for (std::uint32_t seed = 0; seed < 4500; ++seed) {
      const auto pair = make(seed, task).images;  // one image per class; its number is the class
      ++counts.at(static_cast<std::size_t>(10 * pair.at(0) + pair.at(1)));
    }
    std::erase(counts, 0);
    ASSERT_EQ(counts.size(), 45u);
    EXPECT_LT(chi_square(counts), 86);  // 44 degrees of freedom: exceeded once in 5000
  }
}

TEST(SplitStreams, ClassesKeepTheirLabels) {
  for (const auto& split : splits) {
    const TaskMaker make(split.name, split.classes, 3);
    const auto task = make(5, 2);
    EXPECT_TRUE(task.class_labels.empty() && task.pixels.empty() && !task.random_labels) << split.name;
    EXPECT_EQ(make.entry.classes, split.classes) << split.name;
  }
}

TEST(SplitStreams, NoPairOfDigitsHasMoreImagesThanTheLimit) {
  const std::vector<std::uint32_t> digits{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949};
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < digits.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) largest = std::max(largest, digits[i] + digits[j]);
  EXPECT_EQ(stream_entry("split-mnist").task_images, largest);
}

TEST(PermutedStream, EveryTaskShowsEveryPixelOnce) {
  const TaskMaker make("permuted-mnist", 10, 20, 50);
  for (std::int32_t task = 0; task < 5; ++task) EXPECT_EQ(sorted(make(3, task).pixels), numbers_below(784));
}

TEST(PermutedStream, EveryTaskHasItsOwnOrder) {
  const TaskMaker make("permuted-mnist", 10, 20, 50);
  std::set<Numbers> orders{numbers_below(784)};
  for (std::int32_t task = 0; task < 20; ++task) orders.insert(make(3, task).pixels);
  EXPECT_EQ(orders.size(), 21u);
}

// The place of pixel 0 of ten in 1000 tasks: 100 expected for each.
TEST(PermutedStream, AllPlacesAreEquallyLikely) {
  TaskMaker make("permuted-mnist", 10, 2, 5);
  make.positions = 10;
  std::vector<int> counts(10);
  for (std::int32_t task = 0; task < 1000; ++task) {
    const auto pixels = make(3, task).pixels;
    ++counts.at(static_cast<std::size_t>(std::find(pixels.begin(), pixels.end(), 0) - pixels.begin()));
  }
  EXPECT_LT(chi_square(counts), 32);  // 9 degrees of freedom: exceeded once in 5000
}

TEST(PermutedStream, TheFirstTaskCanKeepItsPixels) {
  TaskMaker make("permuted-mnist", 10, 20, 50);
  make.keep_first = true;
  EXPECT_TRUE(make(3, 0).pixels.empty());
}

TEST(PermutedStream, KeepingTheFirstTaskChangesNoOther) {
  TaskMaker make("permuted-mnist", 10, 20, 50);
  const auto before = make(3, 1);
  make.keep_first = true;
  EXPECT_TRUE(same(make(3, 1), before));
}

TEST(PermutedStream, AllTasksShowTheSameImages) {
  const TaskMaker make("permuted-mnist", 10, 20, 50);
  EXPECT_EQ(make(3, 0).images.size(), 50u);
  for (std::int32_t task = 1; task < 5; ++task) EXPECT_EQ(make(3, task).images, make(3, 0).images);
}

// 4000 seeds draw 5 of 20 images: 1000 expected for each.
TEST(PermutedStream, AllImagesAreEquallyLikely) {
  const TaskMaker make("permuted-mnist", 10, 2, 5);
  std::vector<int> counts(20);
  for (std::uint32_t seed = 0; seed < 4000; ++seed)
    for (const auto image : make(seed, 0).images) ++counts.at(static_cast<std::size_t>(image));
  EXPECT_LT(chi_square(counts), 48);  // 19 degrees of freedom: exceeded less than once in 3000
}

TEST(PermutedStream, MoreImagesThanTheDataSetHasAreRefused) {
  const TaskMaker make("permuted-mnist", 10, 2, 21);
  EXPECT_EQ(refusal([&] { make(1, 0); }), "a task of 21 images: the data set has 20 training images. Choose fewer");
}

TEST(RandomLabelStreams, AllTasksShowTheSameImages) {
  for (const std::string name : {"random-label-mnist", "random-label-cifar"}) {
    const TaskMaker make(name, 10, 20, 50);
    EXPECT_EQ(make(3, 0).images.size(), 50u);
    for (std::int32_t task = 1; task < 5; ++task) EXPECT_EQ(make(3, task).images, make(3, 0).images) << name;
  }
}

TEST(RandomLabelStreams, EveryTaskHasRandomLabels) {
  for (const std::string name : {"random-label-mnist", "random-label-cifar"})
    for (std::int32_t task = 0; task < 3; ++task)
      EXPECT_TRUE(TaskMaker(name, 10, 20, 50)(3, task).random_labels) << name;
}

// 1200 images in 50 tasks: 6000 expected of each label.
TEST(RandomLabelStreams, LabelsAreUniform) {
  std::vector<int> counts(10);
  for (std::uint32_t task = 0; task < 50; ++task)
    for (std::uint32_t image = 0; image < 1200; ++image)
      ++counts.at(static_cast<std::size_t>(random_label(1, task, image, 10)));
  EXPECT_LT(chi_square(counts), 32);  // 9 degrees of freedom: exceeded once in 5000
  EXPECT_GT(chi_square(counts), 0.5);
}

// A tenth of 1200 labels agrees by chance: 120 with a standard deviation of 10.4.
TEST(RandomLabelStreams, LabelsDifferBetweenTasksAndSeeds) {
  int tasks_agree = 0, seeds_agree = 0;
  for (std::uint32_t image = 0; image < 1200; ++image) {
    tasks_agree += random_label(1, 4, image, 10) == random_label(1, 5, image, 10);
    seeds_agree += random_label(1, 4, image, 10) == random_label(2, 4, image, 10);
  }
  EXPECT_NEAR(tasks_agree, 120, 42);
  EXPECT_NEAR(seeds_agree, 120, 42);
}

TEST(FivePlusOneStream, HardAndEasyTasksAlternate) {
  const TaskMaker make("5+1-cifar", 100, 2);
  for (std::int32_t task = 0; task < 30; ++task)
    EXPECT_EQ(make.classes_of(9, task).size(), task % 2 == 0 ? 5u : 1u) << "task " << task;
}

TEST(FivePlusOneStream, NoClassOccursTwice) {
  const TaskMaker make("5+1-cifar", 100, 2);
  std::set<std::int32_t> all;
  for (std::int32_t task = 0; task < make.entry.tasks; ++task) all.merge(make.classes_of(9, task));
  EXPECT_EQ(all.size(), 90u);
  for (std::int32_t task = make.entry.tasks; task < make.entry.most_tasks; ++task) all.merge(make.classes_of(9, task));
  EXPECT_EQ(all.size(), 96u);
}

TEST(FivePlusOneStream, AveragesIncludeOnlyHardTasks) {
  const auto& entry = stream_entry("5+1-cifar");
  for (std::int32_t task = 0; task < entry.tasks; ++task) EXPECT_EQ(entry.counts(task), task % 2 == 0);
}

TEST(FivePlusOneStream, ATaskHasAllImagesOfItsClassesUnderTheirOwnLabels) {
  const TaskMaker make("5+1-cifar", 100, 7);
  EXPECT_EQ(make(9, 0).images.size(), 35u);
  EXPECT_EQ(make(9, 1).images.size(), 7u);
  EXPECT_TRUE(make(9, 0).class_labels.empty() && !make(9, 0).random_labels);
  EXPECT_EQ(make.entry.classes, 100);
}

TEST(ContinualImagenetStream, NoClassOccursTwiceIn500Tasks) {
  const TaskMaker make("continual-imagenet", 1000, 3);
  ASSERT_EQ(make.entry.tasks, 500);
  std::set<std::int32_t> all;
  for (std::int32_t task = 0; task < 500; ++task) {
    const auto classes = make.classes_of(4, task);
    ASSERT_EQ(classes.size(), 2u);
    all.insert(classes.begin(), classes.end());
  }
  EXPECT_EQ(all.size(), 1000u);
}

TEST(ContinualImagenetStream, ATaskHasAllImagesOfBothClasses) {
  const TaskMaker make("continual-imagenet", 1000, 3);
  for (const std::int32_t task : {0, 499}) EXPECT_EQ(make(4, task).images.size(), 6u);
}

TEST(ContinualImagenetStream, ATaskLabelsItsClasses0And1) {
  const TaskMaker make("continual-imagenet", 1000, 3);
  EXPECT_EQ(make.entry.classes, 2);
  for (const std::int32_t number : {0, 250, 499}) {
    const auto task = make(4, number);
    std::set<std::int32_t> labels;
    for (const auto c : classes_among(task.images, make.labels))
      labels.insert(task.class_labels.at(static_cast<std::size_t>(c)));
    EXPECT_EQ(labels, (std::set<std::int32_t>{0, 1}));
    EXPECT_EQ(std::count(task.class_labels.begin(), task.class_labels.end(), -1), 998);
  }
}

// 250 of 500 tasks are expected, with a standard deviation of 11.
TEST(ContinualImagenetStream, TheOrderOfTheTwoLabelsIsRandom) {
  const TaskMaker make("continual-imagenet", 1000, 1);
  int lower_is_zero = 0;
  for (std::int32_t number = 0; number < 500; ++number) {
    const auto task = make(4, number);
    lower_is_zero += task.class_labels.at(static_cast<std::size_t>(task.images.at(0))) == 0;
  }
  EXPECT_NEAR(lower_is_zero, 250, 45);
}

}  // namespace
}  // namespace cambium
