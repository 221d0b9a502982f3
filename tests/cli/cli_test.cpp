// The command line: help, errors, exit codes, and the commands that print devices and benchmarks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_files.hpp"

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST(Cli, HelpListsTheCommandsAndTheExitCodes) {
  const auto help = cambium_program("--help");
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output,
              AllOf(HasSubstr("devices"), HasSubstr("selftest"), HasSubstr("bench"), HasSubstr("Exit codes")));
  EXPECT_EQ(cambium_program("bench gemm --help").code, 0);
  EXPECT_THAT(cambium_program("--version").output, HasSubstr("cambium "));
}

TEST(Cli, WrongWordsAreRefusedWithTheNearestKnownOne) {
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
                                                       {"bench step --graph perhaps", "auto, on, off"},
                                                       {"bench step --samples 1.5", "a whole number from 1 to 1000"},
                                                       {"train --epochs", "the value is missing"},
                                                       {"train --ticket --no-ticket", "not both"},
                                                       {"sweep", "FILE is required"},
                                                       {"streams --seed 3", "--seed requires NAME"}};
  for (const auto& [arguments, expected] : cases) {
    const auto ended = cambium_program(arguments);
    EXPECT_EQ(ended.code, 2) << arguments;
    EXPECT_THAT(ended.errors, HasSubstr(expected)) << arguments;
    EXPECT_EQ(ended.output, "") << arguments;
  }
}

TEST(Cli, UnknownDevicesAndBackendsAreRefusedWithTheKnownOnes) {
  const auto device = cambium_program("selftest --device cuda:gpu:7");
  EXPECT_EQ(device.code, 2);
  EXPECT_THAT(device.errors, AllOf(HasSubstr("cuda:gpu:7"), HasSubstr(":cpu:0")));
  const auto backend = cambium_program("bench gemm --backend cublas");
  EXPECT_EQ(backend.code, 2);
  EXPECT_THAT(backend.errors, AllOf(HasSubstr("cublas"), HasSubstr("portable")));
}

TEST(Cli, AnEmptySelectionByTheEnvironmentIsAnError) {
  const auto ended = run_program("ONEAPI_DEVICE_SELECTOR=cuda:7 " CAMBIUM_PROGRAM " selftest");
  EXPECT_EQ(ended.code, 2) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("ONEAPI_DEVICE_SELECTOR"));
}

TEST(Cli, DevicesPrintsJson) {
  const auto ended = cambium_program("devices --json");
  ASSERT_EQ(ended.code, 0) << ended.errors;
  const auto parsed = json::parse(ended.output);
  const auto& device = parsed.at("devices").at(parsed.at("default").get<std::size_t>());
  EXPECT_TRUE(device.at("usable"));
  EXPECT_FALSE(parsed.at("why_default").get<std::string>().empty());
  EXPECT_TRUE(device.at("gemm").at("chosen").is_string());
  EXPECT_FALSE(device.at("sub_group_sizes").empty());
  EXPECT_TRUE(device.contains("graphs"));
}

TEST(Cli, DevicesPrintsBackendsAndDrivers) {
  const auto ended = cambium_program("devices");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("portable"), HasSubstr("driver"), HasSubstr("works, chosen"), HasSubstr("graphs")));
}

TEST(Cli, StepsAreMeasuredDirectlyAndAsGraphs) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "steps.json";
  const auto devices = json::parse(cambium_program("devices --json").output);
  const auto& device = devices.at("devices").at(devices.at("default").get<std::size_t>());
  const std::string steps =
      "bench step --quick --samples 1 --network mlp --batch 16 --compactness 0.2 --replicas 1 --optimizer sgd ";
  const auto ended = cambium_program(steps + "--gemm-backend portable --json " + file.string());
  ASSERT_EQ(ended.code, 0) << ended.errors;
  const auto figures = json_in(file).at("figures").at("steps").at(0);
  EXPECT_GT(figures.at("launches"), 5);
  EXPECT_GT(figures.at("submission_seconds"), 0);
  EXPECT_EQ(figures.contains("graph_step"), device.at("graphs").is_string());
  if (device.at("gemm").at("chosen") == "native") {
    const auto refused = cambium_program(steps + "--graph on");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("--graph on"), HasSubstr("native"), HasSubstr("--graph auto")));
  }
}

TEST(Cli, BenchmarksWriteJson) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "conv.json";
  const auto ended = cambium_program("bench conv --quick --samples 1 --json " + file.string());
  ASSERT_EQ(ended.code, 0) << ended.errors;
  const auto parsed = json_in(file);
  EXPECT_EQ(parsed.at("benchmark"), "conv");
  EXPECT_GT(parsed.at("figures").at("shapes").at(0).at("backends").at("portable").at("gflops"), 0);
}

TEST(Cli, AFileThatCannotBeWrittenIsRefusedBeforeTheWork) {
  const auto ended = cambium_program("bench launch --quick --json /nowhere/at/all.json");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output, "");
  EXPECT_THAT(ended.errors, HasSubstr("/nowhere/at/all.json"));
}

}  // namespace
