// Runs that are stopped by signals and resumed, and checkpoints that are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/cli/train_command.hpp"

namespace {

using cambium::TensorFile;
using std::filesystem::path;
using testing::AllOf;
using testing::HasSubstr;

using InterruptedRun = TrainCommand;

TEST_F(InterruptedRun, SgdInterruptedBySigintEndsWithTheSameBytes) {
  expect_same_when_stopped(std::string(small) + " --epochs 4", SIGINT,
                           {after_milliseconds(0), after_milliseconds(150)});
}

TEST_F(InterruptedRun, AdamWithRandomMasksInterruptedBySigtermEndsWithTheSameBytes) {
  expect_same_when_stopped(std::string(small) + " --epochs 4 --optimizer adam --masks random --compactness 0.5",
                           SIGTERM, {after_milliseconds(0), after_milliseconds(100)});
}

TEST_F(InterruptedRun, MomentumAndRandomSlopesInterruptedEndWithTheSameBytes) {
  expect_same_when_stopped(
      std::string(small) + " --epochs 4 --momentum 0.9 --activation rsl --augment yes --lr-mode restart --cycles 2",
      SIGTERM, {after_milliseconds(50)});
}

TEST_F(InterruptedRun, KilledAtAnyMomentItEndsWithTheSameBytes) {
  std::vector<Moment> moments;
  for (const int milliseconds : {0, 110, 170, 230}) moments.push_back(after_milliseconds(milliseconds));
  expect_same_when_stopped(std::string(small) + " --epochs 4 --checkpoint-every 0", SIGKILL, moments);
}

TEST_F(InterruptedRun, KilledBeforeItsFirstCheckpointItStartsAgain) {
  expect_same_when_stopped(std::string(small) + " --epochs 4", SIGKILL, {after_milliseconds(150)});
}

TEST_F(InterruptedRun, KilledAtItsStartItCanBeStartedAgain) {
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

TEST_F(InterruptedRun, AnInterruptedRunReportsItsFolderAndHasNoResult) {
  StartedProgram program(command(std::string(small) + " --epochs 1000", "run"));
  wait_for_session(program, "run");
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
  // A finished run without its result: the command resumes it from its checkpoint.
  path unfinished() const {
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

TEST_F(DamagedCheckpoint, AFileThatIsNotACheckpointIsRefused) {
  const auto run = unfinished();
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

TEST_F(DamagedCheckpoint, ACheckpointThatDoesNotFitTheRunIsRefused) {
  const auto run = unfinished();
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

TEST_F(InterruptedRun, ASecondSigtermDoesNotPreventTheCheckpoint) {
  StartedProgram program(command(std::string(small) + " --epochs 1000 --checkpoint-every 1e6", "run"));
  wait_for_session(program, "run");
  for (int i = 0; i < 2; ++i) {
    program.signal(SIGTERM);
    std::this_thread::sleep_for(std::chrono::microseconds(100));  // pending signals of one kind are merged
  }
  EXPECT_EQ(program.wait().code, 4);
  EXPECT_TRUE(std::filesystem::exists(at("run") / "checkpoint.safetensors"));
}

TEST_F(InterruptedRun, MetricsShorterThanTheCheckpointAreRefused) {
  const auto arguments = std::string(small) + " --epochs 1";
  const auto run = finished(arguments, "run");
  std::filesystem::remove(run / "result.json");
  std::filesystem::resize_file(run / "metrics.jsonl", 10);
  const auto ended = train(arguments, "run");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr((run / "metrics.jsonl").string()));
}

}  // namespace
