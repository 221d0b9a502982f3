// The program as a user meets it: what it prints, and how it ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/run_program.hpp"

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

Ended cambium(const std::string& arguments) { return run_program(CAMBIUM_PROGRAM " " + arguments); }

TEST(Cli, HelpNamesTheSubcommands) {
  const auto help = cambium("--help");
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output,
              AllOf(HasSubstr("devices"), HasSubstr("selftest"), HasSubstr("bench"), HasSubstr("Exit codes")));
  EXPECT_EQ(cambium("bench gemm --help").code, 0);
  EXPECT_THAT(cambium("--version").output, HasSubstr("cambium "));
}

TEST(Cli, WrongWordsAreInputErrorsThatNameTheNearest) {
  const std::pair<const char*, const char*> cases[] = {{"", "subcommand"},
                                                       {"devises", "devices"},
                                                       {"selftest --devise cpu", "--device"},
                                                       {"bench", "subcommand"},
                                                       {"bench gem", "gemm"},
                                                       {"bench gemm --replica 3", "--replicas"},
                                                       {"devices extra", "extra"},
                                                       {"bench gemm --batch 0", "--batch"},
                                                       {"bench gemm --batch many", "--batch"},
                                                       {"bench gemm --samples 0", "--samples"},
                                                       {"bench step --graph perhaps", "--graph"}};
  for (const auto& [arguments, expected] : cases) {
    const auto ended = cambium(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_THAT(ended.errors, HasSubstr(expected)) << arguments;
    EXPECT_EQ(ended.output, "") << arguments;
  }
}

TEST(Cli, UnknownDevicesAndBackendsNameWhatThereIs) {
  const auto device = cambium("selftest --device cuda:gpu:7");
  EXPECT_EQ(device.code, 2);
  EXPECT_THAT(device.errors, AllOf(HasSubstr("cuda:gpu:7"), HasSubstr(":cpu:0")));
  const auto backend = cambium("bench gemm --backend cublas");
  EXPECT_EQ(backend.code, 2);
  EXPECT_THAT(backend.errors, AllOf(HasSubstr("cublas"), HasSubstr("portable")));
}

TEST(Cli, AnEmptySelectionByTheEnvironmentIsAnErrorNotAFallBack) {
  const auto ended = run_program("ONEAPI_DEVICE_SELECTOR=cuda:7 " CAMBIUM_PROGRAM " selftest");
  EXPECT_EQ(ended.code, 2) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("ONEAPI_DEVICE_SELECTOR"));
}

TEST(Cli, DevicesAsJson) {
  const auto ended = cambium("devices --json");
  ASSERT_EQ(ended.code, 0) << ended.errors;
  const auto parsed = json::parse(ended.output);
  const auto& device = parsed.at("devices").at(parsed.at("default").get<std::size_t>());
  EXPECT_TRUE(device.at("usable"));
  EXPECT_FALSE(parsed.at("why_default").get<std::string>().empty());
  EXPECT_TRUE(device.at("gemm").at("chosen").is_string());
  EXPECT_FALSE(device.at("sub_group_sizes").empty());
  EXPECT_TRUE(device.contains("graphs"));
}

TEST(Cli, DevicesForPeople) {
  const auto ended = cambium("devices");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("portable"), HasSubstr("driver"), HasSubstr("works, chosen"), HasSubstr("graphs")));
}

TEST(Cli, StepsAreMeasuredLaunchByLaunchAndAsGraphs) {
  const auto file = std::filesystem::temp_directory_path() / ("cambium-steps-" + std::to_string(getpid()) + ".json");
  const auto devices = json::parse(cambium("devices --json").output);
  const auto& device = devices.at("devices").at(devices.at("default").get<std::size_t>());
  const std::string steps =
      "bench step --quick --samples 1 --network mlp --batch 16 --compactness 0.2 --replicas 1 --optimizer sgd ";
  const auto ended = cambium(steps + "--gemm-backend portable --json " + file.string());
  ASSERT_EQ(ended.code, 0) << ended.errors;
  std::ifstream stream(file);
  const auto figures = json::parse(stream).at("figures").at("steps").at(0);
  std::filesystem::remove(file);
  EXPECT_GT(figures.at("launches"), 5);
  EXPECT_GT(figures.at("submission_seconds"), 0);
  EXPECT_EQ(figures.contains("graph_step"), device.at("graphs").is_string());
  if (device.at("gemm").at("chosen") == "native") {
    const auto refused = cambium(steps + "--graph on");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("--graph on"), HasSubstr("native"), HasSubstr("--graph auto")));
  }
}

TEST(Cli, BenchmarksWriteTheirFiguresAsJson) {
  const auto file = std::filesystem::temp_directory_path() / ("cambium-bench-" + std::to_string(getpid()) + ".json");
  const auto ended = cambium("bench conv --quick --samples 1 --json " + file.string());
  ASSERT_EQ(ended.code, 0) << ended.errors;
  std::ifstream stream(file);
  const auto parsed = json::parse(stream);
  EXPECT_EQ(parsed.at("benchmark"), "conv");
  EXPECT_GT(parsed.at("figures").at("shapes").at(0).at("backends").at("portable").at("gflops"), 0);
  std::filesystem::remove(file);
}

TEST(Cli, AFileThatCannotBeWrittenIsAnErrorBeforeAnyWork) {
  const auto ended = cambium("bench launch --quick --json /nowhere/at/all.json");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr("/nowhere/at/all.json"));
}

}  // namespace
