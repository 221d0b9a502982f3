// cambium train stopped: by signals, at any moment, and taken up again; also from a checkpoint that is damaged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/cli/train_command.hpp"

namespace {

using cambium::TensorFile;
using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;

class InterruptedRun : public TrainCommand {
 protected:
  // Runs it whole and in pieces, and compares what is left behind.
  void expect_same_when_interrupted(const std::string& arguments, int number, const std::vector<int>& delays) const {
    const auto whole = contents_of(finished(arguments, "whole"));
    // A busy machine may let a run end before the signal comes: then once more.
    int interruptions = 0;
    std::string pieces;
    for (int attempt = 0; attempt < 5 && interruptions == 0; ++attempt) {
      pieces = "pieces" + std::to_string(attempt);
      interruptions = run_interrupted(arguments, pieces, number, delays);
    }
    ASSERT_GT(interruptions, 0);
    const auto interrupted = contents_of(at(pieces));
    for (const auto& [file, bytes] : whole) {
      if (file == "sessions.jsonl") continue;
      ASSERT_TRUE(interrupted.contains(file)) << file;
      EXPECT_TRUE(interrupted.at(file) == bytes) << file << " differs";
    }
    EXPECT_EQ(interrupted.size(), whole.size()) << "something is left over";
  }
};

TEST_F(InterruptedRun, SgdInterruptedBySigintEndsWithTheSameBytes) {
  expect_same_when_interrupted(std::string(small) + " --epochs 4", SIGINT, {0, 150});
}

TEST_F(InterruptedRun, AdamInterruptedBySigtermEndsWithTheSameBytes) {
  expect_same_when_interrupted(std::string(small) + " --epochs 4 --optimizer adam", SIGTERM, {0, 100});
}

TEST_F(InterruptedRun, AdamWithRandomMasksInterruptedEndsWithTheSameBytes) {
  expect_same_when_interrupted(std::string(small) + " --epochs 4 --optimizer adam --masks random --compactness 0.5",
                               SIGINT, {20, 100});
}

TEST_F(InterruptedRun, MomentumAndRandomSlopesInterruptedEndWithTheSameBytes) {
  expect_same_when_interrupted(
      std::string(small) + " --epochs 4 --momentum 0.9 --activation rsl --augment yes --lr-mode restart --cycles 2",
      SIGTERM, {50});
}

TEST_F(InterruptedRun, KilledAtAnyMomentItEndsWithTheSameBytes) {
  expect_same_when_interrupted(std::string(small) + " --epochs 4 --checkpoint-every 0", SIGKILL,
                               {0, 110, 170, 230, 290});
}

TEST_F(InterruptedRun, KilledBeforeItsFirstCheckpointItStartsAnew) {
  expect_same_when_interrupted(std::string(small) + " --epochs 4", SIGKILL, {150});
}

TEST_F(InterruptedRun, KilledWhileItStartsItBlocksNothing) {
  const auto arguments = std::string(small) + " --epochs 2";
  for (const int milliseconds : {10, 120, 250}) {
    StartedProgram program(command(arguments, "run"));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    program.signal(SIGKILL);
    program.wait();
  }
  const auto run = contents_of(finished(arguments, "run")), whole = contents_of(finished(arguments, "whole"));
  EXPECT_EQ(run.at("checkpoint.safetensors"), whole.at("checkpoint.safetensors"));
}

TEST_F(InterruptedRun, AnInterruptedRunSaysSoAndHasNoResult) {
  StartedProgram program(command(std::string(small) + " --epochs 1000", "run"));
  wait_for_session(program, "run", 0);
  program.signal(SIGINT);
  const auto ended = program.wait();
  EXPECT_EQ(ended.code, 4);
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("Interrupted"), HasSubstr(at("run").string())));
  EXPECT_FALSE(std::filesystem::exists(at("run") / "result.json"));
  EXPECT_EQ(lines_of(at("run") / "sessions.jsonl").back().at("why"), "interrupted");
}

class DamagedCheckpoint : public TrainCommand {
 protected:
  // A run that seems not to be done yet.
  path begun() const {
    const auto run = finished(arguments_, "run");
    std::filesystem::remove(run / "result.json");
    return run;
  }
  void expect_refused(const path& run, const std::string& why) const {
    const auto before = contents_of(run);
    const auto ended = train(arguments_, "run");
    EXPECT_EQ(ended.code, 2) << ended.errors;
    EXPECT_THAT(ended.errors, AllOf(HasSubstr((run / "checkpoint.safetensors").string()), HasSubstr(why)));
    EXPECT_EQ(contents_of(run), before);
  }
  const std::string arguments_ = std::string(small) + " --epochs 1";
};

TEST_F(DamagedCheckpoint, WhatIsNoneIsRefused) {
  const auto run = begun();
  const auto file = run / "checkpoint.safetensors";
  auto bytes = read_whole(file);
  bytes.resize(bytes.size() / 2);
  write_file(file, bytes);
  expect_refused(run, "cut short");
  write_file(file, noise(1000));
  expect_refused(run, "not a safetensors file");
  write_file(file, {});
  expect_refused(run, "0 bytes");
}

TEST_F(DamagedCheckpoint, OneThatDoesNotFitTheRunIsRefused) {
  const auto run = begun();
  const auto original = TensorFile::read(run / "checkpoint.safetensors");
  const std::tuple<const char*, const char*, const char*> cases[] = {{"format", "other", "format other"},
                                                                     {"config", "{}", "another configuration"},
                                                                     {"step", "31", "step 31"},
                                                                     {"period", "-1", "epoch -1"},
                                                                     {"period", "0", "run.test_accuracy"}};
  for (const auto& [key, value, why] : cases) {
    auto damaged = original;
    damaged.metadata[key] = value;
    damaged.write(run / "checkpoint.safetensors");
    expect_refused(run, why);
  }
  auto damaged = original;
  damaged.tensors.erase("fc2.weight");
  damaged.write(run / "checkpoint.safetensors");
  expect_refused(run, "fc2.weight");
}

TEST_F(InterruptedRun, SigtermThatComesTwiceLeavesTimeForTheCheckpoint) {
  StartedProgram program(command(std::string(small) + " --epochs 1000 --checkpoint-every 1e6", "run"));
  wait_for_session(program, "run", 0);
  for (int i = 0; i < 2; ++i) {
    program.signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::microseconds(100));  // or the two become one
  }
  EXPECT_EQ(program.wait().code, 4);
  EXPECT_TRUE(std::filesystem::exists(at("run") / "checkpoint.safetensors"));
}

TEST_F(InterruptedRun, MetricsThatLostLinesAreRefused) {
  const auto arguments = std::string(small) + " --epochs 1";
  const auto run = finished(arguments, "run");
  std::filesystem::remove(run / "result.json");
  std::filesystem::resize_file(run / "metrics.jsonl", 10);
  const auto ended = train(arguments, "run");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr((run / "metrics.jsonl").string()));
}

}  // namespace
