// cambium selftest: every kernel and backend against double-precision references, on the device at hand.

#include <fmt/format.h>

#include <chrono>

#include "cli/commands.hpp"
#include "selftest/conformance.hpp"

namespace cambium::cli {
namespace {

int selftest(const DeviceOptions& options, bool json) {
  Device device(options);
  nlohmann::json record{{"device", to_json(device.info())}, {"checks", nlohmann::json::array()}};
  int failed = 0, count = 0;
  if (!json) fmt::print("{:<30} {:<9} {:>6} {:>14} {:>10}\n", "check", "backend", "cases", "largest error", "allowed");
  const auto start = std::chrono::steady_clock::now();
  for (const auto& check : conformance::checks(device.info())) {
    conformance::CheckResult result;
    std::string trouble;
    try {
      result = check.run(device, {});
    } catch (const std::exception& error) {  // One broken kernel must not hide the state of the others.
      trouble = error.what();
    }
    const bool passed = trouble.empty() && result.passed();
    ++count;
    failed += !passed;
    record["checks"].push_back({{"operation", check.operation},
                                {"backend", check.backend},
                                {"cases", result.cases},
                                {"largest_error", result.largest_error},
                                {"tolerance", result.tolerance},
                                {"worst_case", result.worst},
                                {"passed", passed}});
    if (!trouble.empty()) record["checks"].back()["error"] = trouble;
    if (json) continue;
    fmt::print("{:<30} {:<9} {:>6} {:>14.2e} {:>10.0e}  {}\n", check.operation, check.backend, result.cases,
               result.largest_error, result.tolerance, passed ? "ok" : "FAILED");
    if (!passed) fmt::print("    {}\n", trouble.empty() ? result.worst : trouble);
    std::fflush(stdout);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  record["passed"] = failed == 0;
  record["seconds"] = seconds;
  const auto& kernels = device.kernels().statistics();
  if (json)
    fmt::print("{}\n", record.dump(2));
  else
    fmt::print("\n{} of {} checks passed in {:.1f} s ({} kernel units compiled, {} from the cache)\n", count - failed,
               count, seconds, kernels.compiled, kernels.loaded);
  if (failed > 0 && !json)
    fmt::print("Results on this device cannot be trusted. Update its driver, or choose another device.\n");
  return failed == 0 ? exit_done : exit_failure;
}

}  // namespace

void add_selftest(CLI::App& app) {
  auto* command = app.add_subcommand(
      "selftest",
      "Check every kernel and backend on a device against double-precision references; run it first on a new one");
  auto options = std::make_shared<DeviceOptions>();
  add_device_flags(*command, *options);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([options, json] {
    if (const int code = selftest(*options, *json); code != exit_done) throw CLI::RuntimeError(code);
  });
}

}  // namespace cambium::cli
