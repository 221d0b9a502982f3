// Traces that `cambium train --trace` writes for a replay in another framework.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/cli/train_command.hpp"

namespace {

using cambium::TensorFile;
using nlohmann::json;
using testing::Each;
using testing::HasSubstr;

using Shape = std::vector<std::int64_t>;

class Trace : public TrainCommand {
 protected:
  // Trains 2 epochs of 9 steps, the last of each with 4000 images.
  TensorFile traced(const std::string& more) {
    finished(
        "--data fashion-mnist --hidden 16 --batch 7000 --epochs 2 --seeds 1..2 --trace " + at("trace").string() + more,
        "run");
    return TensorFile::read(at("trace"));
  }
};

TEST_F(Trace, InactiveUnitsKeepTheirInitialWeights) {
  const auto trace = at("trace").string();
  finished(std::string(small) +
               " --epochs 1 --optimizer adam --weight-decay 0.1 --masks random --compactness 0.5 --trace " + trace,
           "run");
  const auto file = TensorFile::read(trace);
  const auto mask = file.values<std::uint8_t>("mask.init.fc1", {2, 16});
  const auto first = file.values<float>("init.fc1.weight", {2, 16, 784});
  const auto last = file.values<float>("final.fc1.weight", {2, 16, 784});
  for (std::size_t unit = 0; unit < 32; ++unit) {
    const auto begin = static_cast<std::ptrdiff_t>(unit * 784);
    EXPECT_EQ(std::equal(first.begin() + begin, first.begin() + begin + 784, last.begin() + begin), mask[unit] == 0)
        << unit;
  }
}

TEST_F(Trace, ContainsTheConfigurationAndTheParametersBeforeAndAfter) {
  const auto trace = traced("");
  EXPECT_EQ(trace.text("format"), "cambium-trace-1");
  EXPECT_EQ(trace.text("seeds"), "[1,2]");
  EXPECT_EQ(json::parse(trace.text("config")).at("batch"), 7000);
  EXPECT_FALSE(trace.contains("crop") || trace.contains("flip")) << "the images were not augmented";
  const auto checkpoint = TensorFile::read(at("run") / "checkpoint.safetensors");
  const std::pair<const char*, Shape> parameters[] = {{"fc1.weight", {2, 16, 784}}, {"fc1.bias", {2, 16}},
                                                      {"fc2.weight", {2, 16, 16}},  {"fc2.bias", {2, 16}},
                                                      {"fc3.weight", {2, 10, 16}},  {"fc3.bias", {2, 10}}};
  for (const auto& [name, shape] : parameters) {
    EXPECT_EQ(trace.values<float>(std::string("final.") + name, shape), checkpoint.values<float>(name, shape)) << name;
    EXPECT_NE(trace.values<float>(std::string("init.") + name, shape), checkpoint.values<float>(name, shape)) << name;
  }
}

TEST_F(Trace, TheInitialParametersAreThoseThatTrainingStartsFrom) {
  const auto trace = traced(" --lr 0");
  for (const char* name : {"fc1.weight", "fc2.weight", "fc3.bias"})
    EXPECT_EQ(trace.tensors.at(std::string("init.") + name).bytes, trace.tensors.at(std::string("final.") + name).bytes)
        << name;
}

TEST_F(Trace, EveryEpochVisitsEveryImageOnceAndMinusOneFillsShortBatches) {
  const auto batches = traced("").values<std::int32_t>("batches", {2, 18, 7000});
  for (std::size_t replica = 0; replica < 2; ++replica)
    for (std::size_t epoch = 0; epoch < 2; ++epoch) {
      std::vector<int> visits(60'000);
      for (std::size_t step = 0; step < 9; ++step)
        for (std::size_t row = 0; row < 7000; ++row) {
          const auto image = batches[((replica * 2 + epoch) * 9 + step) * 7000 + row];
          ASSERT_EQ(image == -1, step == 8 && row >= 4000) << step << ", " << row;
          if (image >= 0) ++visits.at(static_cast<std::size_t>(image));
        }
      EXPECT_THAT(visits, Each(1));
    }
}

TEST_F(Trace, LossesAndLearningRatesEqualTheMetrics) {
  const auto trace = traced(" --t-max 2");
  const auto losses = trace.values<float>("loss", {2, 18});
  const auto rates = trace.values<float>("lr", {18});
  const auto metrics = lines_of(at("run") / "metrics.jsonl");
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    for (std::size_t step = 0; step < 9; ++step)
      EXPECT_EQ(rates[epoch * 9 + step], metrics[epoch].at("lr").get<float>());
    for (std::size_t replica = 0; replica < 2; ++replica) {
      double sum = 0;
      for (std::size_t step = 0; step < 9; ++step)
        sum += double{losses[replica * 18 + epoch * 9 + step]} * (step < 8 ? 7000 : 4000);
      EXPECT_NEAR(sum / 60'000, metrics[epoch].at("train_loss").at(replica), 1e-6);
    }
  }
  EXPECT_FLOAT_EQ(rates[0], 0.01f);
  EXPECT_FLOAT_EQ(rates[9], 0.005f);
}

TEST_F(Trace, WithMasksAndAugmentationContainsMasksCropsAndFlips) {
  const auto trace = traced(" --masks random --compactness 0.5 --augment yes");
  for (const char* layer : {"fc1", "fc2"}) {
    const auto masks = trace.values<std::uint8_t>(std::string("mask.init.") + layer, {2, 16});
    EXPECT_EQ(std::count(masks.begin(), masks.begin() + 16, 1), 8);
    EXPECT_EQ(std::count(masks.begin() + 16, masks.end(), 1), 8);
  }
  const auto crops = trace.values<std::int32_t>("crop", {2, 18, 7000, 2});
  const auto flips = trace.values<std::uint8_t>("flip", {2, 18, 7000});
  const auto [low, high] = std::minmax_element(crops.begin(), crops.end());
  EXPECT_EQ(*low, 0);
  EXPECT_EQ(*high, 8);
  EXPECT_THAT(flips, Each(testing::Le(1)));
}

TEST_F(Trace, OfAnInterruptedRunHasTheSameBytes) {
  expect_same_when_stopped(std::string(small) + " --epochs 4", SIGINT, {after_milliseconds(0), after_milliseconds(100)},
                           /*with_trace=*/true);
}

TEST_F(Trace, OfARunThatBeganWithoutOneIsRefused) {
  const auto arguments = std::string(small) + " --epochs 1000";
  {
    StartedProgram program(command(arguments, "run"));
    while (program.running() && text_of(at("run") / "metrics.jsonl").empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    program.signal(SIGINT);
    ASSERT_EQ(program.wait().code, 4);
  }
  const auto ended = train(arguments + " --trace " + at("trace").string(), "run");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("--trace"));
  EXPECT_FALSE(std::filesystem::exists(at("trace")));
}

TEST_F(Trace, AFileThatCannotBeWrittenIsRefusedBeforeTheRun) {
  for (const auto& name : {at("nowhere") / "trace", folder_.path()}) {
    const auto ended = train(std::string(small) + " --epochs 1000000 --trace " + name.string(), "run");
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.errors, HasSubstr(name.string()));
    EXPECT_FALSE(std::filesystem::exists(at("run")));
  }
}

}  // namespace
