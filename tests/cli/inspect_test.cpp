// cambium inspect: what is inside a checkpoint or the folder of a run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/train_command.hpp"

namespace {

using cambium::Tensor;
using cambium::TensorFile;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

using InspectCommand = TrainCommand;

TEST_F(InspectCommand, ShowsAFolderAndItsCheckpointAlike) {
  const auto run = finished(std::string(small) + " --epochs 1 --masks random --compactness 0.5", "run");
  const auto folder = run_program(CAMBIUM_PROGRAM " inspect " + run.string());
  EXPECT_EQ(folder.code, 0);
  EXPECT_THAT(folder.output, AllOf(HasSubstr("done"), HasSubstr("fc1.weight"), HasSubstr("(2, 16, 784)"),
                                   HasSubstr("8, 8 active"), HasSubstr("cambium-checkpoint-1")));
  const auto file = run_program(CAMBIUM_PROGRAM " inspect " + (run / "checkpoint.safetensors").string());
  EXPECT_EQ(file.code, 0);
  EXPECT_THAT(folder.output, HasSubstr(file.output));
}

TEST_F(InspectCommand, JsonHasTheNumbers) {
  const auto file = at("some.safetensors");
  TensorFile made;
  made.metadata["who"] = "a test";
  made.tensors["values"] = Tensor::of<float>({2, 2}, std::vector{1.0f, -3.0f, 4.0f, std::nanf("")});
  made.tensors["mask.fc1"] = Tensor::of<std::uint8_t>({2, 3}, std::vector<std::uint8_t>{1, 0, 1, 0, 0, 1});
  made.tensors["nothing"] = Tensor::of<double>({0, 3}, std::vector<double>{});
  made.write(file);
  const auto ended = run_program(CAMBIUM_PROGRAM " inspect --json " + file.string());
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

TEST_F(InspectCommand, WhatIsNoCheckpointIsRefusedByName) {
  write_file(at("garbage"), noise(1000));
  write_file(at("empty"), {});
  std::filesystem::create_directory(at("folder"));
  write_file(at("fresh") / "config.toml", {});
  for (const char* name : {"garbage", "empty", "folder", "fresh", "nowhere"})
    for (const char* flag : {"", "--json "}) {
      const auto ended = run_program(CAMBIUM_PROGRAM " inspect " + std::string(flag) + at(name).string());
      EXPECT_EQ(ended.code, 2) << name;
      EXPECT_THAT(ended.errors, HasSubstr(at(name).string()));
      EXPECT_EQ(ended.output, "");
    }
}

}  // namespace
