// Experiment files: grids of cells in TOML.

#include "lab/experiment/experiment.hpp"

#include <gmock/gmock.h>

#include <set>

#include "base/error.hpp"

using namespace cambium;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

constexpr auto grid = R"(
title = "A small one"
[all]
stream = "fashion-mnist"
epochs = 10
[[cells]]
method = "dense"
[[cells]]
method = ["grow", "prune"]
compactness = [0.2, 0.5]
[quick]
seeds = "1..2"
[quick.fashion-mnist]
epochs = 5
)";

Experiment parse(const std::string& text, Scale scale = Scale::full) {
  return parse_experiment(text, "test.toml", "test", scale, [](const std::string& name) {
    return name == "grid" ? std::string(grid) : throw InputError(name + ": there is none");
  });
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& wrong) {
    return wrong.what();
  }
  return "no error";
}

}  // namespace

TEST(Experiment, EveryCombinationOfListsIsACell) {
  const auto experiment = parse(grid);
  EXPECT_EQ(experiment.title, "A small one");
  ASSERT_EQ(experiment.cells.size(), 5u);
  std::set<std::pair<std::string, double>> found;
  std::set<std::string> names;
  for (const auto& cell : experiment.cells) {
    found.emplace(name_of(cell.config.method), cell.config.compactness);
    names.insert(cell.name);
    EXPECT_EQ(cell.config.curriculum.epochs_per_task, 10);
    EXPECT_EQ(cell.config.seeds.size(), 10u);
  }
  const std::set<std::pair<std::string, double>> expected{
      {"dense", 1.0}, {"grow", 0.2}, {"grow", 0.5}, {"prune", 0.2}, {"prune", 0.5}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(names.size(), 5u);
}

TEST(Experiment, TheQuickScaleChangesAllCellsAndTheCellsOfAStream) {
  const auto quick = parse(grid, Scale::quick);
  for (const auto& cell : quick.cells) {
    EXPECT_EQ(cell.config.seeds.size(), 2u);
    EXPECT_EQ(cell.config.curriculum.epochs_per_task, 5);
  }
  EXPECT_NE(quick.cells[0].name, parse(grid).cells[0].name);
}

TEST(Experiment, ACellIsNamedAfterItsConfiguration) {
  const auto cell = parse(grid).cells[1];
  EXPECT_THAT(cell.name, StartsWith("fashion-mnist-grow-20-"));
  EXPECT_EQ(cell.name, cell_name(make_config(cell.keys)));
}

TEST(Experiment, ASelectionAddsCandidateCellsAndTheOpenCellTakesTheBestValue) {
  const auto text = std::string(R"(
[[cells]]
stream = "fashion-mnist"
method = ["dense", "grow"]
[select]
lr = [0.1, 0.01, 0.001]
seeds = "7..8"
)");
  auto experiment = parse(text);
  ASSERT_EQ(experiment.cells.size(), 8u);
  EXPECT_EQ(experiment.selected_by, "average");
  const Cell& grow = experiment.cells[7];
  EXPECT_TRUE(grow.open());
  ASSERT_EQ(grow.candidates, (std::vector<std::size_t>{3, 4, 5}));
  for (const std::size_t place : grow.candidates) {
    const Cell& candidate = experiment.cells[place];
    EXPECT_EQ(candidate.config.method, Method::grow);
    EXPECT_EQ(candidate.config.seeds, (std::vector<std::uint32_t>{7, 8}));
    EXPECT_FALSE(candidate.open());
  }
  EXPECT_EQ(experiment.cells[4].config.schedule.rate, 0.01);
  experiment.decide(7, 4);
  EXPECT_EQ(experiment.cells[7].config.schedule.rate, 0.01);
  EXPECT_EQ(experiment.cells[7].config.seeds.size(), 10u);
  EXPECT_FALSE(experiment.cells[7].open());
}

TEST(Experiment, ErrorsNameTheLine) {
  EXPECT_THAT(error_of("[[cells]]\nstream = \"mnist\"\nmetod = \"grow\"\n"),
              testing::AllOf(HasSubstr("test.toml line 3"), HasSubstr("method")));
  EXPECT_THAT(error_of("[cell]\nstream = \"mnist\"\n"),
              testing::AllOf(HasSubstr("test.toml line 1"), HasSubstr("Did you mean cells?")));
  EXPECT_THAT(error_of("[all]\nstream = \"mnist\"\n"), HasSubstr("[[cells]]"));
  EXPECT_THAT(error_of("[[cells]]\nstream = \"mnist\"\nmethod = []\n"), HasSubstr("method has no value"));
  EXPECT_THAT(error_of("[all]\nmethod = [\"grow\"]\n[[cells]]\nstream = \"mnist\"\n"),
              HasSubstr("Lists are only allowed in [[cells]]"));
  EXPECT_THAT(error_of("[[cells]\n"), HasSubstr("test.toml line 1"));
  EXPECT_THAT(error_of("[[cells]]\nstream = \"mnist\"\n[quick.cifar-10]\nepochs = 1\n"),
              HasSubstr("no cell has the stream cifar-10"));
}

TEST(Experiment, AnErrorInACellNamesTheKeysOfTheCell) {
  EXPECT_THAT(error_of("[[cells]]\nstream = \"mnist\"\nmethod = [\"grow\", \"prune\"]\nrewind_to = \"init\"\n"),
              testing::AllOf(HasSubstr("method = grow"), HasSubstr("rewind_to")));
}

TEST(Experiment, TwoEqualCellsAreAnError) {
  EXPECT_THAT(error_of("[[cells]]\nstream = \"mnist\"\n[[cells]]\nstream = \"mnist\"\nmethod = \"dense\"\n"),
              HasSubstr("two cells are equal"));
}

TEST(Experiment, ASelectedKeyIsNotSetElsewhereAndHasAtLeastTwoCandidates) {
  EXPECT_THAT(error_of("[[cells]]\nstream = \"mnist\"\nlr = 0.1\n[select]\nlr = [0.1, 0.2]\n"),
              HasSubstr("[select] selects lr"));
  EXPECT_THAT(error_of("[[cells]]\nstream = \"mnist\"\n[select]\nlr = [0.1]\n"), HasSubstr("at least two candidates"));
  EXPECT_THAT(error_of("[[cells]]\nstream = \"mnist\"\n[select]\nlr = [0.1, 0.2]\nbatch = [1, 2]\n"),
              HasSubstr("only one key"));
}

TEST(Experiment, AnExperimentLikeAnotherHasTheCellsOfTheOther) {
  const auto other = parse("title = \"A look\"\nlike = \"grid\"\n");
  EXPECT_EQ(other.title, "A look");
  ASSERT_EQ(other.cells.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(other.cells[i].name, parse(grid).cells[i].name);
  EXPECT_EQ(parse("like = \"grid\"\n", Scale::quick).cells[0].name, parse(grid, Scale::quick).cells[0].name);
  EXPECT_THAT(error_of("like = \"grid\"\n[[cells]]\nstream = \"mnist\"\n"),
              HasSubstr("`like` cannot be combined with [cells]"));
  EXPECT_THAT(error_of("like = \"none\"\n"), HasSubstr("none: there is none"));
}

TEST(Experiment, AScaleThatSetsTheSelectedKeySelectsNothing) {
  const auto text = "[[cells]]\nstream = \"mnist\"\n[select]\nlr = [0.1, 0.2]\n[quick]\nlr = 0.3\n";
  EXPECT_EQ(parse(text).compared(), std::vector<std::size_t>{2});
  const auto quick = parse(text, Scale::quick);
  ASSERT_EQ(quick.cells.size(), 1u);
  EXPECT_FALSE(quick.cells[0].open());
  EXPECT_EQ(quick.cells[0].config.schedule.rate, 0.3);
}
