// A fixture for tests that train small networks on Fashion-MNIST with the program.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/cli/run_files.hpp"

// Options of a small run; an epoch has 30 steps.
constexpr auto small = "--data fashion-mnist --hidden 16 --batch 2000 --seeds 1..2";

class TrainCommand : public testing::Test {
 protected:
  void SetUp() override {
    static const auto listed = cambium_program("data list --json");
    ASSERT_EQ(listed.code, 0) << listed.errors;
    const auto parsed = nlohmann::json::parse(listed.output);
    for (const auto& data : parsed.at("data_sets"))
      if (data.at("name") == "fashion-mnist" && data.at("found") == false)
        GTEST_SKIP() << "fashion-mnist is not installed; Debian's package is dataset-fashion-mnist";
  }

  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }
  std::string command(const std::string& arguments, const std::string& out) const {
    return CAMBIUM_PROGRAM " train " + arguments + " --out " + at(out).string();
  }
  Ended train(const std::string& arguments, const std::string& out) const {
    return run_program(command(arguments, out));
  }
  // Trains, expects exit code 0, and returns the folder of the run.
  std::filesystem::path finished(const std::string& arguments, const std::string& out) const {
    const auto ended = train(arguments, out);
    EXPECT_EQ(ended.code, 0) << ended.errors;
    return at(out);
  }

  // Waits until a new session has begun, or the program has ended.
  void wait_for_session(StartedProgram& program, const std::string& out, std::size_t sessions_before = 0) const {
    while (program.running() && sessions(out) <= sessions_before)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  std::size_t sessions(const std::string& out) const {
    const auto text = text_of(at(out) / "sessions.jsonl");
    std::size_t count = 0;
    for (auto found = text.find("\"began\""); found != std::string::npos; found = text.find("\"began\"", found + 1))
      ++count;
    return count;
  }

  // Returns true when a run has reached the state in which it is to be stopped. It is called until then.
  using Moment = std::function<bool(const std::filesystem::path& folder)>;
  static Moment after_milliseconds(int milliseconds) {
    return [milliseconds](const auto&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      return true;
    };
  }

  // For each moment: starts or resumes the run and sends the signal. Then lets the run finish. Returns how many of the
  // signals ended the program.
  int run_stopped(const std::string& arguments, const std::string& out, int signal,
                  const std::vector<Moment>& moments) const {
    int stops = 0;
    for (const auto& moment : moments) {
      const auto before = sessions(out);
      StartedProgram program(command(arguments, out));
      wait_for_session(program, out, before);
      while (program.running() && !moment(at(out))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      program.signal(signal);
      const auto ended = program.wait();
      if (std::filesystem::exists(at(out) / "result.json")) return stops;  // done before the signal
      EXPECT_EQ(ended.code, signal == SIGKILL ? 128 + SIGKILL : 4) << ended.errors;
      ++stops;
    }
    finished(arguments, out);
    return stops;
  }

  // Trains once without and once with stops, and expects the same files. `name` prefixes the folders.
  void expect_same_when_stopped(const std::string& arguments, int signal, const std::vector<Moment>& moments,
                                bool with_trace = false, const std::string& name = "") const {
    const auto trace = [&](const std::string& run) {
      return with_trace ? " --trace " + at(run + ".trace").string() : std::string();
    };
    const auto whole = name + "whole";
    finished(arguments + trace(whole), whole);
    // A fast run can end before the first signal; try again then.
    int stops = 0;
    std::string pieces;
    for (int attempt = 0; attempt < 5 && stops == 0; ++attempt) {
      pieces = name + "pieces" + std::to_string(attempt);
      stops = run_stopped(arguments + trace(name + "pieces"), pieces, signal, moments);
    }
    ASSERT_GT(stops, 0) << "every run was done before the signal";
    expect_same_files(at(whole), at(pieces));
    if (with_trace) {
      EXPECT_TRUE(read_whole(at(name + "pieces.trace")) == read_whole(at(whole + ".trace")));
    }
  }

  TemporaryFolder folder_;
};
