// Tiny runs on Fashion-MNIST, by the program as a user starts it, and ways to look at what they leave behind.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "lab/results/safetensors.hpp"
#include "tests/run_program.hpp"
#include "tests/streams/data/made_files.hpp"

inline std::string text_of(const std::filesystem::path& file) {
  const auto bytes = read_whole(file);
  return {bytes.begin(), bytes.end()};
}

inline std::vector<nlohmann::json> lines_of(const std::filesystem::path& file) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(text_of(file));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// All that is in a folder, by name.
inline std::map<std::string, Bytes> contents_of(const std::filesystem::path& folder) {
  std::map<std::string, Bytes> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = read_whole(entry.path());
  return files;
}

// The values of one network of a tensor that has one for each.
template <class T>
std::vector<T> network(const cambium::TensorFile& file, const std::string& name, std::size_t index) {
  const auto& shape = file.tensors.at(name).shape;
  const auto all = file.values<T>(name, shape);
  const std::size_t each = all.size() / static_cast<std::size_t>(shape.at(0));
  return {all.begin() + static_cast<std::ptrdiff_t>(index * each),
          all.begin() + static_cast<std::ptrdiff_t>((index + 1) * each)};
}

// A configuration to add to. An epoch has 30 steps.
constexpr auto small = "--data fashion-mnist --hidden 16 --batch 2000 --seeds 1..2";

class TrainCommand : public testing::Test {
 protected:
  void SetUp() override {
    static const auto listed = run_program(CAMBIUM_PROGRAM " data list --json");
    ASSERT_EQ(listed.code, 0) << listed.errors;
    const auto parsed = nlohmann::json::parse(listed.output);
    for (const auto& data : parsed.at("data_sets"))
      if (data.at("name") == "fashion-mnist" && data.at("found") == false)
        GTEST_SKIP() << "fashion-mnist is not here; Debian has it as dataset-fashion-mnist";
  }

  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }
  std::string command(const std::string& arguments, const std::string& out) const {
    return CAMBIUM_PROGRAM " train " + arguments + " --out " + at(out).string();
  }
  Ended train(const std::string& arguments, const std::string& out) const {
    return run_program(command(arguments, out));
  }
  // A run that must work.
  std::filesystem::path finished(const std::string& arguments, const std::string& out) const {
    const auto ended = train(arguments, out);
    EXPECT_EQ(ended.code, 0) << ended.errors;
    return at(out);
  }

  // Waits until a new session has begun, or the program has ended.
  void wait_for_session(StartedProgram& program, const std::string& out, std::size_t sessions_before) const {
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

  // Whether a run has come to where it is to be stopped, by what is in its folder.
  using Moment = std::function<bool(const std::filesystem::path& folder)>;

  // Starts the run again and again, and sends `number` at one of the moments in turn, until it is done. Returns how
  // often the signal ended it.
  int run_stopped(const std::string& arguments, const std::string& out, int number,
                  const std::vector<Moment>& moments) const {
    int stops = 0;
    for (const auto& moment : moments) {
      const auto before = sessions(out);
      StartedProgram program(command(arguments, out));
      wait_for_session(program, out, before);
      while (program.running() && !moment(at(out))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      program.signal(number);
      const auto ended = program.wait();
      if (std::filesystem::exists(at(out) / "result.json")) return stops;  // it was faster
      EXPECT_EQ(ended.code, number == SIGKILL ? 128 + SIGKILL : 4) << ended.errors;
      ++stops;
    }
    finished(arguments, out);
    return stops;
  }

  // The same after so many milliseconds each.
  int run_interrupted(const std::string& arguments, const std::string& out, int number,
                      const std::vector<int>& delays) const {
    std::vector<Moment> moments;
    for (const int milliseconds : delays)
      moments.push_back([milliseconds](const auto&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        return true;
      });
    return run_stopped(arguments, out, number, moments);
  }

  TemporaryFolder folder_;
};
