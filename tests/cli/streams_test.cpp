// cambium streams: the table, one stream, the tasks of a seed, and the contact sheet.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/run_program.hpp"
#include "tests/streams/data/made_files.hpp"

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto debian = "/usr/share/datasets/fashion-mnist";

class StreamsCommand : public testing::Test {
 protected:
  Ended streams(const std::string& arguments) {
    return run_program("CAMBIUM_DATA= XDG_DATA_HOME=" + folder_.path().string() + " " CAMBIUM_PROGRAM " streams " +
                       arguments);
  }
  json parsed(const std::string& arguments) {
    const auto ended = streams(arguments + " --json");
    EXPECT_EQ(ended.code, 0) << ended.errors;
    return json::parse(ended.output);
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  TemporaryFolder folder_;
};

// Tests that need the images of a data set.
class StreamsOfFashion : public StreamsCommand {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(debian))
      GTEST_SKIP() << "fashion-mnist is not installed; Debian's package is dataset-fashion-mnist";
  }
};

TEST_F(StreamsCommand, TheTableHasEveryStreamAndItsLength) {
  const auto ended = streams("");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  for (const auto& name : {"mnist", "split-cifar100", "random-label-cifar", "5+1-cifar", "continual-imagenet"})
    EXPECT_THAT(ended.output, HasSubstr(std::string("\n") + name + " "));
  EXPECT_THAT(ended.output, testing::ContainsRegex("\npermuted-mnist +shifting +mnist +500 +1 epoch +16 +312500 "));
  EXPECT_THAT(ended.output, testing::ContainsRegex("\n5[+]1-cifar +shifting +cifar-100 +30 +780 steps +32 +23400 "));
}

TEST_F(StreamsCommand, TheTableShowsWhichDataSetsAreFound) {
  std::map<std::string, bool> found;
  const auto all = parsed("").at("streams");
  for (const auto& stream : all) found[stream.at("name")] = stream.at("data").at("found");
  EXPECT_FALSE(found.at("split-mnist"));
  EXPECT_EQ(found.at("split-fashion"), std::filesystem::exists(debian));
  EXPECT_THAT(streams("").output, testing::ContainsRegex("split-mnist [^\n]+ not found\n"));
}

TEST_F(StreamsCommand, AStreamIsDescribedWithoutItsData) {
  const auto ended = streams("permuted-mnist");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("pixels in an order drawn for the task"),
                                  HasSubstr("500 tasks of 1 epoch; 625 steps in each"),
                                  HasSubstr("Adam, constant learning rate 0.001"),
                                  HasSubstr("not found. Fetch it: cambium data fetch mnist (12 MB)"),
                                  HasSubstr("seed 1 cannot be shown without the data set mnist")));
}

TEST_F(StreamsCommand, DataThatCannotBeFetchedAreExplained) {
  EXPECT_THAT(streams("continual-imagenet").output,
              AllOf(HasSubstr("cannot be fetched"), HasSubstr("Imagenet32_train"), Not(HasSubstr("MB)"))));
}

TEST_F(StreamsCommand, AnIncompleteFolderIsNamed) {
  write_file(folder_.path() / "cifar-10/data_batch_1.bin", {1});
  EXPECT_THAT(streams("cifar-10 --data-dir " + folder_.path().string()).output,
              HasSubstr("note: " + at("cifar-10") + " lacks data_batch_2.bin"));
}

TEST_F(StreamsCommand, JsonContainsTheSettingsOfTheStudy) {
  const auto split = parsed("split-mnist"), five = parsed("5+1-cifar");
  EXPECT_EQ(split.at("kind"), "class_incremental");
  EXPECT_EQ(split.at("steps"), 9180);
  EXPECT_EQ(split.at("steps_of_first_task"), 1020);
  EXPECT_EQ(split.at("replay"), (json{{"per_class", 50}, {"total", 200}}));
  EXPECT_EQ(split.at("optimizer"), "sgd");
  EXPECT_EQ(split.at("first_tasks"), nullptr);
  EXPECT_EQ(five.at("steps_per_task"), 780);
  EXPECT_EQ(five.at("epochs_per_task"), nullptr);
  EXPECT_EQ(five.at("replay"), nullptr);
  EXPECT_EQ(five.at("outputs"), 100);
}

TEST_F(StreamsCommand, TasksThatAreNotScoredAreListed) {
  EXPECT_THAT(streams("5+1-cifar").output, HasSubstr("only tasks 1, 3, 5, 7, ... count"));
}

TEST_F(StreamsCommand, WrongInputIsRefusedWithAdvice) {
  const std::pair<std::string, std::string> cases[] = {
      {"split-mnits", "Did you mean split-mnist?"},
      {"split-mnist --tasks 6", "split-mnist has at most 5 tasks"},
      {"mnist --tasks 2", "mnist has at most 1 task"},
      {"split-mnist --tasks 0", "--tasks"},
      {"split-mnist --seed -1", "--seed"},
      {"split-mnist --seeds 1", "--seed"},
      {"--sheet " + at("a.svg"), "--sheet requires NAME"},
      {"split-mnist --sheet " + at("a.png"), "the sheet is an SVG"},
      {"split-mnist --sheet " + at("no/such/folder.svg"), "cannot be opened for writing"},
      {"split-mnist --sheet " + at("a.svg"), "cambium data fetch mnist"},
      {"split-mnist split-fashion", "split-fashion"}};
  for (const auto& [arguments, expected] : cases) {
    const auto ended = streams(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_THAT(ended.errors, HasSubstr(expected)) << arguments;
    EXPECT_EQ(ended.output, "") << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(at("a.svg")) || std::filesystem::exists(at("a.svg.part")));
}

// The pairs of split-fashion for seed 3, computed with a separate implementation of Philox and the shuffle.
const std::vector<std::pair<std::string, std::string>> pairs_of_seed_3{
    {"Trouser", "Sandal"}, {"Pullover", "Shirt"}, {"Dress", "Ankle boot"}, {"T-shirt/top", "Coat"}, {"Sneaker", "Bag"}};

TEST_F(StreamsOfFashion, TheTasksOfASeedHaveItsPairsOfClasses) {
  const auto tasks = parsed("split-fashion --seed 3").at("first_tasks");
  ASSERT_EQ(tasks.size(), 5u);
  const auto text = streams("split-fashion --seed 3").output;
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(tasks[i].at("images"), 12'000);
    EXPECT_EQ(tasks[i].at("steps"), i == 0 ? 20 * 47 : 20 * 94);
    ASSERT_EQ(tasks[i].at("classes").size(), 2u);
    const auto& [first, second] = pairs_of_seed_3[i];
    EXPECT_EQ(tasks[i].at("classes")[0].at("name"), first);
    EXPECT_EQ(tasks[i].at("classes")[1].at("name"), second);
    EXPECT_THAT(text, HasSubstr(first + " and " + second + "\n"));
  }
}

TEST_F(StreamsOfFashion, AnotherSeedHasOtherTasks) {
  EXPECT_NE(parsed("split-fashion --seed 3").at("first_tasks"), parsed("split-fashion --seed 4").at("first_tasks"));
  EXPECT_EQ(parsed("split-fashion --seed 1").at("first_tasks"), parsed("split-fashion").at("first_tasks"));
}

TEST_F(StreamsOfFashion, TasksLimitsTheNumberOfTasks) {
  EXPECT_EQ(parsed("split-fashion --tasks 2").at("first_tasks").size(), 2u);
  EXPECT_THAT(streams("split-fashion --tasks 2").output, AllOf(HasSubstr("task 2 "), Not(HasSubstr("task 3 "))));
  EXPECT_EQ(parsed("fashion-mnist").at("first_tasks").size(), 1u);
}

TEST_F(StreamsOfFashion, TheSheetHasARowPerTaskWithTenLabelledImages) {
  const auto ended = streams("split-fashion --seed 3 --tasks 3 --sheet " + at("sheet.svg"));
  ASSERT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr(at("sheet.svg")));
  const auto bytes = read_whole(folder_.path() / "sheet.svg");
  const std::string sheet(bytes.begin(), bytes.end());
  std::size_t images = 0;
  for (auto found = sheet.find("<image"); found != std::string::npos; found = sheet.find("<image", found + 1)) ++images;
  EXPECT_EQ(images, 30u);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& [first, second] = pairs_of_seed_3[i];
    EXPECT_THAT(sheet, HasSubstr(">task " + std::to_string(i + 1) + ": " + first + " and " + second + "<"));
    EXPECT_THAT(sheet, AllOf(HasSubstr(">" + first + "<"), HasSubstr(">" + second + "<")));
  }
}

TEST_F(StreamsOfFashion, ASheetIsReproducibleAndReplacesAnOlderOne) {
  write_file(folder_.path() / "two.svg", {1, 2, 3});
  EXPECT_EQ(streams("fashion-mnist --sheet " + at("one.svg")).code, 0);
  EXPECT_EQ(streams("fashion-mnist --sheet " + at("two.svg")).code, 0);
  EXPECT_EQ(read_whole(folder_.path() / "one.svg"), read_whole(folder_.path() / "two.svg"));
}

}  // namespace
