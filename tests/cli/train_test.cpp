// cambium train: the files of a run, repeated runs, and input that is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/train_command.hpp"

namespace {

using cambium::TensorFile;
using nlohmann::json;
using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(TrainCommand, AFinishedRunHasTheDocumentedFiles) {
  const auto ended = train(std::string(small) + " --epochs 3", "run");
  ASSERT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(names_in(at("run")), testing::ElementsAre("checkpoint.safetensors", "config.toml", "epochs.csv", "lock",
                                                        "metrics.jsonl", "result.json", "sessions.jsonl"));
}

TEST_F(TrainCommand, ResultsAreAveragesOverTheMetrics) {
  const auto run = finished(std::string(small) + " --epochs 4 --cycles 2", "run");
  const auto metrics = lines_of(run / "metrics.jsonl");
  ASSERT_EQ(metrics.size(), 4u);
  const auto result = json_in(run / "result.json");
  EXPECT_EQ(result.at("seeds"), json({1, 2}));
  EXPECT_EQ(result.at("steps"), 4 * 30);
  EXPECT_EQ(result.at("parameters"), 785 * 16 + 17 * 16 + 17 * 10);
  for (std::size_t seed = 0; seed < 2; ++seed) {
    std::vector<double> accuracy;
    for (std::size_t epoch = 0; epoch < 4; ++epoch) {
      EXPECT_EQ(metrics[epoch].at("epoch"), epoch + 1);
      EXPECT_EQ(metrics[epoch].at("step"), 30 * (epoch + 1));
      accuracy.push_back(metrics[epoch].at("test_accuracy").at(seed));
    }
    EXPECT_EQ(result.at("accuracy").at("seeds").at(seed), accuracy[3]);
    EXPECT_NEAR(result.at("taa_epochs").at("seeds").at(seed),
                (accuracy[0] + accuracy[1] + accuracy[2] + accuracy[3]) / 4, 1e-12);
    EXPECT_NEAR(result.at("taa_cycles").at("seeds").at(seed), (accuracy[1] + accuracy[3]) / 2, 1e-12);
  }
  const double one = result.at("accuracy").at("seeds").at(0), two = result.at("accuracy").at("seeds").at(1);
  EXPECT_NEAR(result.at("accuracy").at("mean"), (one + two) / 2, 1e-12);
  EXPECT_NEAR(result.at("accuracy").at("standard_deviation"), std::abs(one - two) / std::sqrt(2.0), 1e-12);
}

TEST_F(TrainCommand, RecordedStepsGiveTheSameCheckpoint) {
  const auto devices = json::parse(cambium_program("devices --json").output);
  const auto& device = devices.at("devices").at(devices.at("default").get<std::size_t>());
  if (!device.at("graphs").is_string()) GTEST_SKIP() << "the device cannot record graphs";
  const auto arguments =
      std::string(small) + " --method grow --compactness 0.5 --epochs 4 --cycles 2 --gemm-backend portable --graph ";
  const auto direct = finished(arguments + "off", "direct"), recorded = finished(arguments + "on", "recorded");
  EXPECT_EQ(read_whole(recorded / "checkpoint.safetensors"), read_whole(direct / "checkpoint.safetensors"));
  if (device.at("gemm").at("chosen") != "native") return;
  const auto refused = train(std::string(small) + " --epochs 1 --graph on", "refused");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("--graph on"), HasSubstr("native")));
}

TEST_F(TrainCommand, AnAccuracyAboveThreeQuartersIsReachedInTwoEpochs) {
  const auto run =
      finished("--data fashion-mnist --hidden 32 --batch 500 --epochs 2 --seeds 1 --optimizer adam", "run");
  EXPECT_GT(json_in(run / "result.json").at("accuracy").at("mean"), 0.75);
}

TEST_F(TrainCommand, AFinishedRunIsPrintedAgainAndNotChanged) {
  const auto arguments = std::string(small) + " --epochs 2";
  const auto first = train(arguments, "run");
  const auto before = contents_of(at("run"));
  const auto accuracy = json_in(at("run") / "result.json").at("accuracy");
  const auto row = [](const std::string& name, double value) {
    return fmt::format("{:>12} {:>14} ", name, fmt::format("{:.2f}%", 100 * value));
  };
  EXPECT_THAT(first.output,
              AllOf(HasSubstr(row("1", accuracy.at("seeds").at(0))), HasSubstr(row("2", accuracy.at("seeds").at(1))),
                    HasSubstr(row("mean", accuracy.at("mean")))));
  const auto second = train(arguments, "run");
  EXPECT_EQ(second.code, 0);
  EXPECT_EQ(second.output, first.output);
  EXPECT_THAT(second.errors, HasSubstr("done"));
  EXPECT_EQ(contents_of(at("run")), before);
}

TEST_F(TrainCommand, TheDefaultFolderIsNamedByTheConfiguration) {
  const auto in_folder = [&](const std::string& more) {
    return run_program("cd " + folder_.path().string() + " && " CAMBIUM_PROGRAM " train " + small + " " + more);
  };
  EXPECT_EQ(in_folder("--epochs 1").code, 0);
  EXPECT_THAT(in_folder("--epochs 1 --lr 0.01").errors, HasSubstr("done"));
  EXPECT_THAT(in_folder("--epochs 1 --lr 0.02").errors, Not(HasSubstr("done")));
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(at("results") / "train")) {
    EXPECT_THAT(entry.path().filename().string(), HasSubstr("fashion-mnist-dense-"));
    ++runs;
  }
  EXPECT_EQ(runs, 2u);
}

TEST_F(TrainCommand, AConfigurationFileAndFlagsGiveTheSameRun) {
  const std::string toml = "data = \"fashion-mnist\"\nhidden = [16, 16]\nbatch = 2000\nseeds = [1, 2]\nepochs = 7\n";
  write_file(at("run.toml"), Bytes(toml.begin(), toml.end()));
  const auto by_flags = contents_of(finished(std::string(small) + " --epochs 2", "flags"));
  const auto by_file = contents_of(finished("--config " + at("run.toml").string() + " --epochs 2", "file"));
  EXPECT_EQ(by_file.at("config.toml"), by_flags.at("config.toml"));
  EXPECT_EQ(by_file.at("checkpoint.safetensors"), by_flags.at("checkpoint.safetensors"));
}

TEST_F(TrainCommand, AnotherConfigurationInTheSameFolderIsRefusedWithTheKeyThatDiffers) {
  const auto run = finished(std::string(small) + " --epochs 1", "run");
  const auto before = contents_of(run);
  const auto ended = train(std::string(small) + " --epochs 1 --weight-decay 0.5", "run");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("weight_decay is 0.0 in the folder and 0.5 here"), HasSubstr("--out")));
  EXPECT_THAT(ended.errors, Not(HasSubstr("seeds is")));
  EXPECT_EQ(contents_of(run), before);
}

TEST_F(TrainCommand, AFolderWithOtherFilesIsRefused) {
  write_file(at("mine") / "thesis.txt", {'x'});
  const auto ended = train(std::string(small) + " --epochs 1", "mine");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr(at("mine").string()), HasSubstr("thesis.txt")));
  EXPECT_EQ(contents_of(at("mine")), (std::map<std::string, Bytes>{{"thesis.txt", {'x'}}}));
}

TEST_F(TrainCommand, AFolderWithADamagedConfigurationIsRefused) {
  write_file(at("run") / "config.toml", {});
  const auto ended = train(std::string(small) + " --epochs 1", "run");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr((at("run") / "config.toml").string()));
}

TEST_F(TrainCommand, AFileInsteadOfAFolderIsRefused) {
  write_file(at("run"), {'x'});
  const auto ended = train(std::string(small) + " --epochs 1", "run");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr(at("run").string()));
}

TEST_F(TrainCommand, ASecondProcessInTheFolderIsRefused) {
  const auto arguments = std::string(small) + " --epochs 1000";
  StartedProgram first(command(arguments, "run"));
  wait_for_session(first, "run");
  const auto second = train(arguments, "run");
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.errors, AllOf(HasSubstr("another process"), HasSubstr(at("run").string())));
  EXPECT_TRUE(first.running());
}

TEST_F(TrainCommand, ASeedGivesTheSameNetworkAloneAndAmongOthers) {
  for (const std::string more : {"", " --optimizer adam --masks random --compactness 0.5"}) {
    const std::string base = "--data fashion-mnist --hidden 16 --batch 2000 --epochs 2" + more;
    const auto several = finished(base + " --seeds 1..3", "several" + std::to_string(more.size()));
    const auto alone = finished(base + " --seeds 2", "alone" + std::to_string(more.size()));
    const auto several_metrics = lines_of(several / "metrics.jsonl"), alone_metrics = lines_of(alone / "metrics.jsonl");
    for (std::size_t epoch = 0; epoch < 2; ++epoch)
      for (const char* key : {"train_loss", "train_accuracy", "test_loss", "test_accuracy"})
        EXPECT_EQ(several_metrics.at(epoch).at(key).at(1), alone_metrics.at(epoch).at(key).at(0)) << key;
    const auto three = TensorFile::read(several / "checkpoint.safetensors");
    const auto one = TensorFile::read(alone / "checkpoint.safetensors");
    for (const char* name : {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "fc3.weight", "fc3.bias"})
      EXPECT_EQ(network<float>(three, name, 1), network<float>(one, name, 0)) << name;
  }
}

TEST_F(TrainCommand, SeedsGiveDifferentNetworks) {
  const auto run = finished(std::string(small) + " --epochs 1", "run");
  const auto file = TensorFile::read(run / "checkpoint.safetensors");
  EXPECT_NE(network<float>(file, "fc2.weight", 0), network<float>(file, "fc2.weight", 1));
}

TEST_F(TrainCommand, MasksCanBeReadFromACheckpoint) {
  const auto base = std::string(small) + " --epochs 1";
  const auto random = finished(base + " --masks random --compactness 0.4", "random");
  const auto file = (random / "checkpoint.safetensors").string();
  const auto taken = finished(base + " --masks " + file, "taken");
  const auto result = [](const path& run) { return json_in(run / "result.json"); };
  EXPECT_EQ(result(taken).at("active_units"), result(random).at("active_units"));
  EXPECT_EQ(result(taken).at("active_units").at("fc1"), json({6, 6}));  // 0.4 x 16, rounded
  for (const char* mask : {"mask.fc1", "mask.fc2"})
    EXPECT_EQ(TensorFile::read(taken / "checkpoint.safetensors").values<std::uint8_t>(mask, {2, 16}),
              TensorFile::read(file).values<std::uint8_t>(mask, {2, 16}));
}

TEST_F(TrainCommand, WrongInputIsRefusedAndLeavesNoFolder) {
  const auto good = std::string(small) + " --epochs 1";
  const auto other = finished("--data fashion-mnist --hidden 8 --batch 2000 --seeds 1..2 --epochs 1", "other");
  const auto other_masks = (other / "checkpoint.safetensors").string();
  const std::pair<std::string, std::string> cases[] = {
      {good + " --epoch 3", "--epochs"},
      {good + " --lr abc", "lr = abc"},
      {"--data mnits", "mean mnist"},
      {good + " --momentum 0.9 --optimizer adam", "momentum"},
      {good + " --config " + at("nowhere.toml").string(), "nowhere.toml"},
      {good + " --masks " + at("nowhere.safetensors").string(), "nowhere.safetensors"},
      {good + " --masks " + other_masks, "(2, 8)"},
      {"--data fashion-mnist --hidden 8 --batch 2000 --epochs 1 --seeds 1..3 --masks " + other_masks, "3 seeds"},
      {good + " --masks " + (other / "result.json").string(), "result.json"},
      {good + " --masks $(printf '\\377')", "UTF-8"},
      {good + " --device nosuch", "nosuch"},
      {good + " --gemm-backend nosuch", "nosuch"},
      {good + " --checkpoint-every -1", "--checkpoint-every"},
      {"--data mnist --data-dir " + folder_.path().string() + " --epochs 1", "mnist"}};
  for (const auto& [arguments, expected] : cases) {
    const auto ended =
        run_program("CAMBIUM_DATA= XDG_DATA_HOME=" + folder_.path().string() + " " + command(arguments, "run"));
    EXPECT_EQ(ended.code, 2) << arguments << "\n" << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr(expected)) << arguments;
    EXPECT_EQ(ended.output, "") << arguments;
    EXPECT_FALSE(std::filesystem::exists(at("run"))) << arguments;
  }
}

TEST_F(TrainCommand, AFolderIsUsableAfterAFailedStart) {
  std::filesystem::create_directory(at("run"));  // made by the user, so it must stay
  EXPECT_EQ(train(std::string(small) + " --epochs 1 --masks nowhere.safetensors", "run").code, 2);
  EXPECT_TRUE(std::filesystem::exists(at("run")));
  EXPECT_EQ(train(std::string(small) + " --epochs 1", "run").code, 0);
}

}  // namespace
