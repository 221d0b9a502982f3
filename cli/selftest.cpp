// cambium selftest: checks every kernel and backend of a device against double-precision references.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/device_json.hpp"
#include "cli/shared_flags.hpp"
#include "selftest/conformance.hpp"
#include "sycl/device.hpp"

namespace cambium::cli {
namespace {

// Returns the exit code.
int selftest(const DeviceOptions& options, bool json) {
  Device device(options);
  nlohmann::json record{{"device", to_json(device.info())}, {"checks", nlohmann::json::array()}};
  int failed = 0, count = 0;
  if (!json) fmt::print("{:<30} {:<9} {:>6} {:>14} {:>10}\n", "check", "backend", "cases", "largest error", "allowed");
  const auto start = std::chrono::steady_clock::now();
  for (const auto& check : conformance::checks(device.info())) {
    conformance::CheckResult result;
    std::string failure;
    try {
      result = check.run(device, {});
    } catch (const std::exception& error) {  // Run the remaining checks, too.
      failure = error.what();
    }
    const bool passed = failure.empty() && result.passed();
    ++count;
    failed += !passed;
    record["checks"].push_back({{"operation", check.operation},
                                {"backend", check.backend},
                                {"cases", result.cases},
                                {"largest_error", result.largest_error},
                                {"tolerance", result.tolerance},
                                {"worst_case", result.worst},
                                {"passed", passed}});
    if (!failure.empty()) record["checks"].back()["error"] = failure;
    if (json) continue;
    fmt::print("{:<30} {:<9} {:>6} {:>14.2e} {:>10.0e}  {}\n", check.operation, check.backend, result.cases,
               result.largest_error, result.tolerance, passed ? "ok" : "FAILED");
    if (!passed) fmt::print("    {}\n", failure.empty() ? result.worst : failure);
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

void add_selftest(Command& root) {
  auto& command =
      root.add_command("selftest", "Check every kernel and backend of a device against double-precision references");
  auto options = std::make_shared<DeviceOptions>();
  add_device_flags(command, *options);
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print JSON");
  command.set_footer("Run this first on a new machine, and after a driver update.");
  command.set_action([options, json] { return selftest(*options, *json); });
}

}  // namespace cambium::cli
