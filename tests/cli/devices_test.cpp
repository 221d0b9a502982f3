// Runs and sweeps on several devices: two equal parts of the CPU must give the same bytes as one of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <set>

#include "tests/cli/sweep_command.hpp"

namespace {

using testing::HasSubstr;

class SeveralDevices : public SweepCommand {
 protected:
  void SetUp() override {
    TrainCommand::SetUp();
    if (!can_be_divided()) GTEST_SKIP() << "device 0 has one compute unit, which cannot be divided";
  }
  static bool can_be_divided() {
    const auto listed = nlohmann::json::parse(cambium_program("devices --json").output);
    return listed.at("devices").at(0).at("compute_units") > 1;
  }
};

constexpr auto four_seeds = "--data fashion-mnist --hidden 16 --batch 2000 --seeds 1..4 --cycles 2";

TEST_F(SeveralDevices, GiveTheSameBytesAsOneDevice) {
  int number = 0;
  for (const std::string more :
       {" --epochs 2", " --epochs 4 --method grow --optimizer adam", " --epochs 2 --method prune --no-ticket"}) {
    const auto one = fmt::format("one{}", ++number), two = fmt::format("two{}", number);
    finished(four_seeds + more + " --device 0.0", one);
    finished(four_seeds + more + " --device 0.0,0.1", two);
    expect_same_files(at(one), at(two));
  }
}

TEST_F(SeveralDevices, GiveTheSameBytesForAStreamOfTasks) {
  const std::string arguments =
      "--stream split-fashion --hidden 16 --batch 500 --epochs-per-task 1 --seeds 1..3 --method grow";
  finished(arguments + " --device 0.0", "one");
  finished(arguments + " --device 0.0,0.1", "two");
  expect_same_files(at("one"), at("two"));
}

TEST_F(SeveralDevices, InterruptedAndResumedOnOneDeviceGiveTheSameBytes) {
  const std::string arguments = std::string(four_seeds) + " --epochs 8 --method grow";
  finished(arguments + " --device 0.0", "one");
  {
    StartedProgram program(command(arguments + " --device 0.0,0.1", "two"));
    while (program.running() && !std::filesystem::exists(at("two") / "parts-2" / "1" / "sessions.jsonl"))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait().code, 4);
  }
  EXPECT_TRUE(std::filesystem::exists(at("two") / "parts-2" / "0" / "checkpoint.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(at("two") / "result.json"));
  finished(arguments + " --device 0.1", "two");
  expect_same_files(at("one"), at("two"));
}

TEST_F(SeveralDevices, KilledAtAnyMomentGiveTheSameBytes) {
  const std::string arguments = std::string(four_seeds) + " --epochs 6 --method prune --checkpoint-every 0";
  finished(arguments + " --device 0.0", "one");
  for (const int milliseconds : {400, 900}) {
    StartedProgram program(command(arguments + " --device 0.0,0.1", "two"));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    program.signal(SIGKILL);
    program.wait();
  }
  finished(arguments + " --device 0.0,0.1", "two");
  expect_same_files(at("one"), at("two"));
}

TEST_F(SeveralDevices, ARunThatBeganOnOneDeviceResumesOnTheFirst) {
  const std::string arguments = std::string(four_seeds) + " --epochs 8";
  finished(arguments + " --device 0.0", "one");
  {
    StartedProgram program(command(arguments + " --device 0.0", "two"));
    wait_for_session(program, "two");
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait().code, 4);
  }
  const auto ended = train(arguments + " --device 0.0,0.1", "two");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.errors, HasSubstr("began on one device"));
  expect_same_files(at("one"), at("two"));
}

TEST_F(SeveralDevices, MoreDevicesThanSeedsAreNotUsed) {
  const std::string arguments = "--data fashion-mnist --hidden 16 --batch 2000 --epochs 1 --seeds 7 --device ";
  finished(arguments + "0.0", "one");
  const auto ended = train(arguments + "0.0,0.1", "two");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.errors, HasSubstr("one seed"));
  expect_same_files(at("one"), at("two"));
}

TEST_F(SeveralDevices, WrongListsAreRefused) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"0,0", "same hardware"},    {"0,0.1", "same hardware"},      {"0.0,0.0", "same hardware"},
      {"0,nosuch", "nosuch"},      {"0,", "name is missing"},       {",0", "name is missing"},
      {"0.0,0.99", "has 2 parts"}, {"0.0,0.1 --trace t", "--trace"}};
  for (const auto& [list, message] : wrong) {
    const auto ended = train(std::string(four_seeds) + " --epochs 2 --device " + list, "run");
    EXPECT_EQ(ended.code, 2) << list;
    EXPECT_THAT(ended.errors, HasSubstr(message)) << list;
    EXPECT_FALSE(std::filesystem::exists(at("run"))) << list;
  }
}

TEST_F(SeveralDevices, ASweepUsesAllDevices) {
  write(tiny);
  const auto ended = sweep("--device 0.0,0.1", "out");
  ASSERT_EQ(ended.code, 0) << ended.errors;
  std::set<std::string> used;
  for (const auto& cell : std::filesystem::directory_iterator(at("out") / "cells"))
    used.insert(lines_of(cell.path() / "sessions.jsonl").at(0).at("selector"));
  EXPECT_EQ(used.size(), 2u);
  const auto wrong = sweep("--device 0.0,nosuch", "other");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.errors, HasSubstr("nosuch"));
}

TEST_F(SeveralDevices, OtherCommandsAcceptOneDeviceOnly) {
  const auto ended = cambium_program("selftest --device 0.0,0.1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.errors, HasSubstr("this command takes one device"));
}

}  // namespace
