// A fixture for tests that run small sweeps with the program.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <random>

#include "tests/cli/train_command.hpp"

// Five cells.
constexpr auto tiny = R"(
title = "Tiny"
[all]
stream = "fashion-mnist"
hidden = "16"
batch = 2000
seeds = "1..2"
epochs = 4
cycles = 2
[[cells]]
method = "dense"
[[cells]]
method = ["grow", "prune"]
compactness = [0.25, 0.5]
)";

// A cell whose learning rate is selected from two candidates.
constexpr auto selecting = R"(
[[cells]]
stream = "fashion-mnist"
hidden = "16"
batch = 2000
seeds = "1..2"
epochs = 2
cycles = 1
[select]
lr = [0.000001, 0.1]
seeds = "5..6"
)";

class SweepCommand : public TrainCommand {
 protected:
  std::filesystem::path write(const std::string& text, const std::string& name = "tiny.toml") const {
    std::ofstream(at(name)) << text;
    return at(name);
  }
  std::string sweep_command(const std::string& flags, const std::string& out,
                            const std::string& file = "tiny.toml") const {
    return fmt::format("{} sweep {} --out {} {}", CAMBIUM_PROGRAM, at(file).string(), at(out).string(), flags);
  }
  Ended sweep(const std::string& flags, const std::string& out, const std::string& file = "tiny.toml") const {
    return run_program(sweep_command(flags, out, file));
  }

  // Names of the cells, in the order of the plan.
  std::vector<std::string> planned_cells(const std::string& file = "tiny.toml") const {
    const auto plan = cambium_program(fmt::format("plan {} --no-timing --json", at(file).string()));
    std::vector<std::string> names;
    const auto parsed = nlohmann::json::parse(plan.output);
    for (const auto& cell : parsed.at("cells")) names.push_back(cell.at("name"));
    return names;
  }

  // Sends SIGKILL or SIGTERM to a random process of the program that works in the folder; false if there is none.
  bool kill_one(const std::string& out, std::mt19937& random) const {
    std::vector<pid_t> all;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "cmdline", std::ios::binary);
      std::string argument;
      if (std::getline(file, argument, '\0'); argument != CAMBIUM_PROGRAM) continue;
      while (std::getline(file, argument, '\0'))
        if (argument.find(at(out).string()) != std::string::npos) {
          all.push_back(std::stoi(entry.path().filename().string()));
          break;
        }
    }
    return !all.empty() && kill(all[random() % all.size()], random() % 2 == 0 ? SIGKILL : SIGTERM) == 0;
  }

  // The number of random kills in a test: CAMBIUM_KILLS if it is set.
  static int number_of_kills(int default_number) {
    const char* set = std::getenv("CAMBIUM_KILLS");
    return set == nullptr ? default_number : std::stoi(set);
  }

  // Repeats the command while its processes are killed at random, until there were `wanted` kills. A sweep that ends
  // before is compared with `straight` and followed by another one in a new folder. The last sweep must finish and have
  // the files of `straight`, too.
  template <class Command>
  void expect_same_after_kills(int wanted, Command command, const std::string& straight) const {
    std::mt19937 random(1);
    std::string out = "killed";
    int kills = 0;
    while (kills < wanted) {
      StartedProgram program(command(out));
      while (program.running() && kills < wanted) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200 + random() % 500));
        if (kill_one(out, random)) ++kills;
      }
      if (kills == wanted || program.wait().code != 0) continue;
      expect_same(straight, out);
      out += "-again";
    }
    for (int i = 0; i < 5; ++i)
      if (run_program(command(out)).code == 0) return expect_same(straight, out);
    ADD_FAILURE() << "the sweep did not finish in five attempts";
  }

  // The collected files, and all files of the cells except sessions.jsonl, which contains times.
  std::map<std::string, Bytes> results_in(const std::string& out) const {
    std::map<std::string, Bytes> files{{"cells.jsonl", read_whole(at(out) / "cells.jsonl")},
                                       {"seeds.csv", read_whole(at(out) / "seeds.csv")}};
    for (const auto& cell : std::filesystem::directory_iterator(at(out) / "cells"))
      for (auto& [name, bytes] : contents_of(cell.path()))
        if (name != "sessions.jsonl") files[cell.path().filename().string() + "/" + name] = bytes;
    return files;
  }
  static std::vector<std::string> names_of(const std::map<std::string, Bytes>& files) {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : files) names.push_back(name);
    return names;
  }
  void expect_same(const std::string& out, const std::string& other) const {
    const auto first = results_in(out), second = results_in(other);
    ASSERT_EQ(names_of(first), names_of(second));
    for (const auto& [name, bytes] : first) EXPECT_TRUE(bytes == second.at(name)) << name << " differs";
  }
};
