// cambium inspect: runs, checkpoints and traces.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/cli/train_command.hpp"

namespace {

using cambium::Tensor;
using cambium::TensorFile;
using nlohmann::json;
using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Ended inspect(const std::string& arguments) { return cambium_program("inspect " + arguments); }

json json_of(const std::string& arguments) {
  const auto ended = inspect("--json " + arguments);
  EXPECT_EQ(ended.code, 0) << ended.errors;
  return ended.code == 0 ? json::parse(ended.output) : json();
}

void expect_refused(const std::string& arguments, const std::string& why) {
  for (const std::string flag : {"", "--json "}) {
    const auto ended = inspect(flag + arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_THAT(ended.errors, HasSubstr(why));
    EXPECT_EQ(ended.output, "");
  }
}

using InspectCommand = TrainCommand;

TEST_F(InspectCommand, WithTensorsAFolderShowsItsCheckpoint) {
  const auto run = finished(std::string(small) + " --epochs 1 --masks random --compactness 0.5", "run");
  const auto folder = inspect("--tensors " + run.string());
  EXPECT_EQ(folder.code, 0);
  EXPECT_THAT(folder.output, AllOf(HasSubstr("done"), HasSubstr("fc1.weight"), HasSubstr("(2, 16, 784)"),
                                   HasSubstr("8, 8 active"), HasSubstr("cambium-checkpoint-1")));
  const auto file = inspect((run / "checkpoint.safetensors").string());
  EXPECT_EQ(file.code, 0);
  EXPECT_THAT(folder.output, HasSubstr(file.output));
  EXPECT_THAT(inspect(run.string()).output, Not(HasSubstr("fc1.weight")));
}

TEST_F(InspectCommand, ADenseRunHasNoEdits) {
  const auto run = finished(std::string(small) + " --epochs 1", "run");
  const auto shown = inspect(run.string());
  EXPECT_EQ(shown.code, 0) << shown.errors;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("dense"), HasSubstr("No edits"), HasSubstr("done")));
  const auto parsed = json_of(run.string());
  EXPECT_EQ(parsed.at("edits"), json::array());
  EXPECT_EQ(parsed.at("accuracy"), json::parse(text_of(run / "result.json")).at("accuracy").at("mean"));
  const auto asked = inspect(run.string() + " --unit fc1:3");
  EXPECT_EQ(asked.code, 2);
  EXPECT_THAT(asked.errors, AllOf(HasSubstr("dense"), HasSubstr("no edits")));
}

TEST_F(InspectCommand, JsonContainsStatisticsOfTensors) {
  const auto file = at("some.safetensors");
  TensorFile made;
  made.metadata["who"] = "a test";
  made.tensors["values"] = Tensor::of<float>({2, 2}, std::vector{1.0f, -3.0f, 4.0f, std::nanf("")});
  made.tensors["mask.fc1"] = Tensor::of<std::uint8_t>({2, 3}, std::vector<std::uint8_t>{1, 0, 1, 0, 0, 1});
  made.tensors["nothing"] = Tensor::of<double>({0, 3}, std::vector<double>{});
  made.write(file);
  const auto ended = inspect("--json " + file.string());
  ASSERT_EQ(ended.code, 0) << ended.errors;
  const auto parsed = json::parse(ended.output);
  EXPECT_EQ(parsed.at("metadata"), json({{"who", "a test"}}));
  const auto& values = parsed.at("tensors").at("values");
  EXPECT_EQ(values.at("type"), "F32");
  EXPECT_EQ(values.at("shape"), json({2, 2}));
  EXPECT_EQ(values.at("lowest"), -3);
  EXPECT_EQ(values.at("highest"), 4);
  EXPECT_NEAR(values.at("mean"), 2.0 / 3, 1e-12);
  EXPECT_EQ(values.at("not_finite"), 1);
  EXPECT_EQ(parsed.at("tensors").at("mask.fc1").at("active_units"), json({2, 1}));
  EXPECT_EQ(parsed.at("tensors").at("nothing").at("shape"), json({0, 3}));
}

TEST_F(InspectCommand, FilesAndFoldersOfOtherKindsAreRefused) {
  write_file(at("garbage"), noise(1000));
  write_file(at("empty"), {});
  std::filesystem::create_directory(at("folder"));
  write_file(at("fresh") / "config.toml", {});
  for (const char* name : {"garbage", "empty", "folder", "fresh", "nowhere"})
    for (const char* flag : {"", "--json "}) {
      const auto ended = inspect(flag + at(name).string());
      EXPECT_EQ(ended.code, 2) << name;
      EXPECT_THAT(ended.errors, HasSubstr(at(name).string()));
      EXPECT_EQ(ended.output, "");
    }
}

// Folders of two runs that the test writes: one grows from 2 units to 8, one prunes from 16 to 8. They have no
// checkpoint.
class WrittenRun : public testing::Test {
 protected:
  WrittenRun() {
    write(grown_ / "config.toml", config_ + "method = \"grow\"\nintervention = \"net2wider\"\n");
    write(pruned_ / "config.toml", config_ + "method = \"prune\"\n");
    // Seed 1 starts with units 2 and 13 of fc1 and 1 and 8 of fc2; seed 2 with 8 and 15, 9 and 15.
    const int starts[2][2] = {{2, 1}, {8, 9}};
    const std::vector<int> born[2][3] = {{{3, 12}, {6, 0}, {14, 4}}, {{7, 5}, {10, 11}, {12, 3}}};
    const std::vector<int> removed[2][3] = {{{3, 12, 1}, {6, 0, 5}, {14, 4}}, {{7, 5, 0}, {10, 11, 15}, {12, 3}}};
    const int grown[] = {2, 4, 6, 8}, pruned[] = {16, 13, 10, 8};
    std::string grow, prune;
    for (int event = 1; event <= 3; ++event)
      for (int seed = 1; seed <= 2; ++seed)
        for (int layer = 0; layer < 2; ++layer) {
          const double offset = 0.01 * (event + 3 * seed + 10 * layer);  // so that every line has other values
          json line{{"event", event},
                    {"epoch", event},
                    {"step", 30 * event},
                    {"seed", seed},
                    {"layer", layer == 0 ? "fc1" : "fc2"},
                    {"loss_before", 1 + offset},
                    {"loss_after", 2 + 2 * offset},
                    {"logit_distance", offset}};
          auto other = line;
          line.update({{"method", "grow"},
                       {"rule", "activation"},
                       {"active_before", grown[event - 1]},
                       {"active_after", grown[event]},
                       {"units", born[seed - 1][event - 1]},
                       {"scores", {0.8 + offset, 0.7 + offset}},
                       {"runner_up", 0.6 + offset},
                       {"donor", {starts[seed - 1][layer], -1}}});
          std::vector<double> scores;
          for (int i = 0; i < pruned[event - 1] - pruned[event]; ++i) scores.push_back(0.1 * i + offset);
          other.update({{"method", "prune"},
                        {"rule", "magnitude"},
                        {"active_before", pruned[event - 1]},
                        {"active_after", pruned[event]},
                        {"units", removed[seed - 1][event - 1]},
                        {"scores", scores},
                        {"runner_up", 0.4 + offset},
                        {"loss_rewound", 3 + 3 * offset}});
          grow += line.dump() + "\n";
          prune += other.dump() + "\n";
        }
    write(grown_ / "events.jsonl", grow);
    write(pruned_ / "events.jsonl", prune);
  }

  static void write(const path& file, const std::string& text) { write_file(file, {text.begin(), text.end()}); }

  const std::string config_ =
      "data = \"fashion-mnist\"\nhidden = 16\nbatch = 2000\nseeds = \"1..2\"\nepochs = 4\ncompactness = 0.5\n";
  TemporaryFolder folder_;
  const path grown_ = folder_.path() / "grown", pruned_ = folder_.path() / "pruned";
};

TEST_F(WrittenRun, ShowsAFinishedRun) {
  write(grown_ / "result.json", R"({"accuracy": {"mean": 0.81234}, "ticket": {"accuracy": {"mean": 0.75}}})");
  const auto shown = inspect(grown_.string());
  ASSERT_EQ(shown.code, 0) << shown.errors;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("grow+net2wider on fashion-mnist at compactness 0.5, seeds 1..2"),
                                  HasSubstr("done: 4 epochs in 4 cycles, and 4 of the ticket phase"),
                                  HasSubstr("81.23%, ticket 75.00%"), HasSubstr("2 -> 4"), HasSubstr("4 -> 6"),
                                  HasSubstr("6 -> 8"), HasSubstr("initial"), Not(HasSubstr("rewound"))));
}

TEST_F(WrittenRun, ListsEveryNewbornWithItsScoreAndDonor) {
  const auto shown = inspect(grown_.string() + " --seed 2").output;
  EXPECT_THAT(shown, HasSubstr("Seed 2"));
  for (const auto& line : lines_of(grown_ / "events.jsonl")) {
    std::string expected;
    expected = fmt::format(" {} ({:.4g}, donor {}), {} ({:.4g}),", line.at("units").at(0).get<int>(),
                           line.at("scores").at(0).get<double>(), line.at("donor").at(0).get<int>(),
                           line.at("units").at(1).get<int>(), line.at("scores").at(1).get<double>());
    expected = fmt::format("{} event {}:{} next best {:.4g}\n", line.at("layer").get<std::string>(),
                           line.at("event").get<int>(), expected, line.at("runner_up").get<double>());
    if (line.at("seed") == 2)
      EXPECT_THAT(shown, HasSubstr(expected));
    else
      EXPECT_THAT(shown, Not(HasSubstr(expected)));
  }
}

TEST_F(WrittenRun, ShowsTheMeanLossesOfEveryEdit) {
  const auto shown = inspect(pruned_.string()).output;
  EXPECT_THAT(shown, AllOf(HasSubstr("rewound"), HasSubstr("16 -> 13"), HasSubstr("13 -> 10"), HasSubstr("10 -> 8"),
                           Not(HasSubstr("initial"))));
  for (int event = 1; event <= 3; ++event) {
    std::map<std::string, double> mean;
    for (const auto& line : lines_of(pruned_ / "events.jsonl"))
      if (line.at("event") == event && line.at("layer") == "fc1")
        for (const char* key : {"loss_before", "loss_after", "loss_rewound"})
          mean[key] += line.at(key).get<double>() / 2;
    EXPECT_THAT(
        shown, testing::ContainsRegex(fmt::format(" {} +{} +{} +{:.4f} +{:.4f} +{:.4f} +fc1 ", event, event, 30 * event,
                                                  mean["loss_before"], mean["loss_after"], mean["loss_rewound"])));
  }
}

TEST_F(WrittenRun, LinesHaveAtMostAHundredColumns) {
  auto lines = lines_of(grown_ / "events.jsonl");
  std::string text;
  for (auto& line : lines) {
    for (auto& score : line.at("scores")) score = -0.000012345678;
    text += line.dump() + "\n";
  }
  write(grown_ / "events.jsonl", text);
  std::size_t longest = 0;
  for (const auto& run : {grown_, pruned_}) {
    std::istringstream shown(inspect(run.string()).output);
    for (std::string line; std::getline(shown, line);) longest = std::max(longest, line.size());
  }
  EXPECT_LE(longest, 100u);
}

TEST_F(WrittenRun, LongListsOfUnitsAreWrapped) {
  write(pruned_ / "config.toml", "data = \"mnist\"\nepochs = 2\nseeds = 1\nmethod = \"prune\"\nbatch = 2000\n");
  std::string text;
  std::vector<int> units(205);
  std::iota(units.begin(), units.end(), 0);
  for (const char* layer : {"fc1", "fc2"})
    text += json{{"event", 1},
                 {"epoch", 1},
                 {"step", 30},
                 {"seed", 1},
                 {"layer", layer},
                 {"method", "prune"},
                 {"rule", "magnitude"},
                 {"active_before", 256},
                 {"active_after", 51},
                 {"units", units},
                 {"scores", std::vector<double>(205, 0.25)},
                 {"runner_up", 0.5},
                 {"loss_before", 1},
                 {"loss_after", 2},
                 {"logit_distance", 3}}
                .dump() +
            "\n";
  write(pruned_ / "events.jsonl", text);
  const auto shown = inspect(pruned_.string());
  EXPECT_THAT(shown.output, AllOf(HasSubstr("fc1 event 1: 0 (0.25), 1 (0.25), "), HasSubstr("\n             8 (0.25),"),
                                  HasSubstr("204 (0.25), next lowest 0.5\n")));
  std::istringstream lines(shown.output);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(WrittenRun, JsonContainsTheHistoryOfAllSeeds) {
  for (const auto& run : {grown_, pruned_}) {
    const auto parsed = json_of(run.string());
    EXPECT_EQ(parsed.at("done"), false);
    EXPECT_EQ(parsed.at("standing"), json());
    EXPECT_EQ(parsed.at("method"), run == grown_ ? "grow" : "prune");
    EXPECT_EQ(parsed.at("seeds"), json({1, 2}));
    EXPECT_EQ(parsed.at("planned_edits"), 3);
    EXPECT_EQ(parsed.at("notes"), json::array());
    EXPECT_FALSE(parsed.contains("checkpoint"));
    const auto lines = lines_of(run / "events.jsonl");
    std::size_t place = 0;
    for (const auto& edit : parsed.at("edits"))
      for (std::size_t seed = 0; seed < 2; ++seed)
        for (std::size_t layer = 0; layer < 2; ++layer) {
          const auto& line = lines.at(place++);
          EXPECT_EQ(edit.at("event"), line.at("event"));
          EXPECT_EQ(edit.at("layers").at(layer).at("active_after"), line.at("active_after"));
          EXPECT_EQ(edit.at("seeds").at(seed).at("seed"), line.at("seed"));
          EXPECT_EQ(edit.at("seeds").at(seed).at("layers").at(layer).contains("donor"), run == grown_);
          for (const auto& [key, value] : edit.at("seeds").at(seed).at("layers").at(layer).items())
            EXPECT_EQ(value, line.at(key)) << key;
        }
    EXPECT_EQ(place, 12u);
  }
}

TEST_F(WrittenRun, JsonOfOneSeedContainsNoOtherSeed) {
  const auto shown = json_of("--seed 2 " + grown_.string());
  for (const auto& edit : shown.at("edits")) {
    ASSERT_EQ(edit.at("seeds").size(), 1u);
    EXPECT_EQ(edit.at("seeds").at(0).at("seed"), 2);
  }
}

TEST_F(WrittenRun, AgesCountFromTheEventToTheEndOfTheCycles) {
  EXPECT_FALSE(json_of(pruned_.string()).contains("ages"));
  // Without a checkpoint, the last edit, after epoch 3, is the end of the known cycles.
  const auto born = [&](int youngest) {
    json list;
    for (int event = 1; event <= 3; ++event)
      list.push_back({{"event", event}, {"units", 2}, {"age_epochs", youngest + 3 - event}});
    return list;
  };
  const auto ages = json_of(grown_.string()).at("ages").at(1);
  EXPECT_EQ(ages, json({{"layer", "fc2"}, {"active", 8}, {"from_start", 2}, {"born", born(0)}}));
  write(grown_ / "result.json", R"({"accuracy": {"mean": 0.8}})");
  EXPECT_EQ(json_of(grown_.string()).at("ages").at(1).at("born"), born(1));
  EXPECT_THAT(inspect(grown_.string()).output, HasSubstr("age in epochs        4        3        2        1\n"));
}

TEST_F(WrittenRun, TheHistoryOfAUnitIsPrintedAsText) {
  EXPECT_THAT(
      inspect(grown_.string() + " --unit fc1:3").output,
      AllOf(HasSubstr("fc1:3 seed 1: born at event 1, after epoch 1 and step 30: activation 0.84, rank 1 of 14; "
                      "2 units recruited; next best 0.64; donor 2\n"),
            HasSubstr("fc1:3 seed 2: born at event 3, after epoch 3 and step 90: activation 0.79, rank 2 of 10; "
                      "2 units recruited; next best 0.69\n")));
  EXPECT_THAT(inspect(grown_.string() + " --unit fc2:8").output,
              AllOf(HasSubstr("fc2:8 seed 1: active from the start\n"), HasSubstr("fc2:8 seed 2: never active\n")));
  EXPECT_THAT(inspect(pruned_.string() + " --unit fc2:15").output,
              AllOf(HasSubstr("fc2:15 seed 1: active from the start\n"),
                    HasSubstr("fc2:15 seed 2: pruned at event 2, after epoch 2 and step 60: magnitude 0.38, rank "
                              "(lowest first) 3 of 13; 3 units removed; next lowest 0.58\n")));
  EXPECT_THAT(inspect(pruned_.string() + " --unit fc2:15 --seed 2").output, Not(HasSubstr("seed 1:")));
}

TEST_F(WrittenRun, TheHistoryOfAUnitIsPrintedAsJson) {
  auto expected = json::parse(R"({
      "layer": "fc2", "unit": 6, "lives": [
        {"seed": 1, "life": "born", "event": 2, "epoch": 2, "step": 60, "rule": "activation", "rank": 1,
         "candidates": 12, "chosen": 2, "donor": 1},
        {"seed": 2, "life": "never active"}]})");
  const auto line = lines_of(grown_ / "events.jsonl").at(5);
  expected["lives"][0]["score"] = line.at("scores").at(0);
  expected["lives"][0]["runner_up"] = line.at("runner_up");
  EXPECT_EQ(json_of(grown_.string() + " --unit fc2:6").at("unit"), expected);
}

TEST_F(WrittenRun, UnknownSeedsAndUnitsAreRefusedWithTheKnownOnes) {
  const std::pair<const char*, const char*> cases[] = {
      {" --seed 3", "seeds 1..2"},
      {" --unit fc3:1", "fc1 has units 0 to 15, fc2 has units 0 to 15"},
      {" --unit fc1:16", "units 0 to 15"},
      {" --unit fc1:-1", "units 0 to 15"},
      {" --unit fc1", "such as fc1:59"},
      {" --unit fc1:3x", "such as fc1:59"},
      {" --unit :3", "fc1 has units"},
      {" --seed x", "--seed"},
      {" --sed 1", "--seed"}};
  for (const auto& [flags, why] : cases) expect_refused(grown_.string() + flags, why);
  for (const std::string flag : {" --unit fc1:3", " --seed 1"})
    expect_refused((grown_ / "events.jsonl").string() + flag, "folder of a run");
}

TEST_F(WrittenRun, ARunWithoutACheckpointIsShown) {
  std::filesystem::remove(grown_ / "events.jsonl");
  const auto shown = inspect(grown_.string());
  EXPECT_EQ(shown.code, 0) << shown.errors;
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("not done; no checkpoint yet"), HasSubstr("No edits yet"), HasSubstr("follows epoch 1")));
  expect_refused("--tensors " + grown_.string(), "no checkpoint yet");
}

TEST_F(WrittenRun, AnIncompleteLastLineIsLeftOutWithANote) {
  const auto all = text_of(grown_ / "events.jsonl");
  write(grown_ / "events.jsonl", all.substr(0, all.size() - 5));
  const auto shown = inspect(grown_.string());
  EXPECT_EQ(shown.code, 0) << shown.errors;
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("Note: "), HasSubstr("incomplete"), HasSubstr("4 -> 6"), Not(HasSubstr("6 -> 8"))));
  const auto parsed = json_of(grown_.string());
  EXPECT_EQ(parsed.at("edits").size(), 2u);
  EXPECT_EQ(parsed.at("notes").size(), 2u);
}

TEST_F(WrittenRun, DamagedFilesAreNamed) {
  const auto file = grown_ / "events.jsonl";
  const auto events = text_of(file);
  write(file, "garbage\n" + events);
  expect_refused(grown_.string(), file.string() + " line 1");
  write(file, events + "{}\n");
  expect_refused(grown_.string(), file.string() + " line 13");
  write(file, events);
  write(grown_ / "result.json", "{\"accuracy\": 3}");
  expect_refused(grown_.string(), (grown_ / "result.json").string());
  write(grown_ / "config.toml", config_ + "method = \"grown\"\n");
  expect_refused(grown_.string(), (grown_ / "config.toml").string());
}

TEST_F(InspectCommand, HistoriesOfUnitsMatchTheCheckpoint) {
  const auto run = finished(std::string(small) + " --epochs 2 --method grow --compactness 0.5", "run");
  const auto parsed = json_of(run.string());
  EXPECT_EQ(parsed.at("done"), true);
  EXPECT_EQ(parsed.at("standing"), json({{"phase", "ticket"}, {"epoch", 2}, {"step", 0}, {"events", 1}}));
  const auto checkpoint = TensorFile::read(run / "checkpoint.safetensors");
  const auto masks = checkpoint.values<std::uint8_t>("mask.fc2", {2, 16});
  const auto births = checkpoint.values<std::int32_t>("birth.fc2", {2, 16});
  for (int unit = 0; unit < 16; unit += 3)
    for (std::size_t seed = 0; seed < 2; ++seed) {
      const std::size_t place = seed * 16 + static_cast<std::size_t>(unit);
      const auto life = json_of(run.string() + fmt::format(" --unit fc2:{}", unit)).at("unit").at("lives").at(seed);
      EXPECT_EQ(life.at("life"), masks[place] == 0 ? "never active" : births[place] == 1 ? "born" : "always active");
    }
  // Without its result, the run is shown as unfinished.
  std::filesystem::remove(run / "result.json");
  EXPECT_THAT(
      inspect(run.string()).output,
      HasSubstr("not done: 2 of 2 epochs of the ticket phase and 0 steps at the last checkpoint, 1 of 1 edits"));
  std::filesystem::rename(run / "cycles.safetensors", run / "checkpoint.safetensors");
  EXPECT_THAT(inspect(run.string()).output, HasSubstr("not done: 2 of 2 epochs and 0 steps"));
  std::filesystem::resize_file(run / "events.jsonl", 0);
  expect_refused(run.string(), "events.jsonl: it has 0 edits, but the checkpoint has 1");
  auto damaged = TensorFile::read(run / "checkpoint.safetensors");
  damaged.metadata["phase"] = "siesta";
  damaged.write(run / "checkpoint.safetensors");
  expect_refused(run.string(), "checkpoint.safetensors: this run has no phase 'siesta'");
}

}  // namespace
