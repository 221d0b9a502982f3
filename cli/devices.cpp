// cambium devices: lists the compute devices, with their drivers, properties and backends.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/device_json.hpp"
#include "sycl/device.hpp"
#include "sycl/tuning.hpp"

namespace cambium::cli {
namespace {

double gibibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

void print_backends(const char* operation, const std::vector<BackendStatus>& backends) {
  bool chosen = false;
  for (const auto& backend : backends) {
    const bool works = backend.why_not.empty();
    fmt::print("    {:<12} {:<9} {}\n", operation, backend.name,
               !works   ? "no: " + backend.why_not
               : chosen ? "works"
                        : "works, chosen");
    chosen |= works;
    operation = "";
  }
}

void print_device(const DeviceInfo& device, bool chosen) {
  fmt::print("{} {}  {}  [{}]\n", chosen ? "*" : " ", device.index, device.name, device.selector());
  fmt::print("    vendor       {}\n    driver       {}\n    platform     {}\n", device.vendor, device.driver,
             device.platform);
  fmt::print("    compute      {} units; work-groups up to {}; sub-groups {}; fp64 {}\n", device.compute_units,
             device.largest_work_group, fmt::join(device.sub_group_sizes, " "), device.fp64 ? "yes" : "no");
  fmt::print("    memory       {:.1f} GiB, {:.1f} GiB per allocation; {} KiB local\n", gibibytes(device.memory_bytes),
             gibibytes(device.largest_allocation_bytes), device.local_memory_bytes / 1024);
  fmt::print("    graphs       {}\n", device.graphs.empty()     ? "no (no SYCL graph extension)"
                                      : device.graphs == "full" ? "yes (ext_oneapi_graph)"
                                                                : "yes (ext_oneapi_limited_graph)");
  if (!device.unusable.empty()) return fmt::print("    not usable   {}\n", device.unusable);
  print_backends("gemm", device.gemm);
  print_backends("convolution", device.convolution);
  const auto tuned = Tuning::load(device).size();
  fmt::print("    tiles        {}\n", tuned == 0
                                          ? "default; `cambium tune` measures which are faster"
                                          : fmt::format("tuned for {} matrix products by `cambium tune`", tuned));
}

void print(const std::vector<DeviceInfo>& devices) {
  const DeviceInfo* chosen = default_device(devices);
  for (const auto& device : devices) print_device(device, &device == chosen);
  if (const char* selector = std::getenv("ONEAPI_DEVICE_SELECTOR"))
    fmt::print("ONEAPI_DEVICE_SELECTOR={} hides all other devices.\n", selector);
  if (chosen == nullptr)
    fmt::print("No usable device. Install the driver of your GPU or a CPU runtime; see docs/portability.md.\n");
  else
    fmt::print("\n* default device, unless --device or ONEAPI_DEVICE_SELECTOR selects another: {}.\n",
               why_default(devices));
}

void print_json(const std::vector<DeviceInfo>& devices) {
  const DeviceInfo* chosen = default_device(devices);
  nlohmann::json result{{"default", chosen == nullptr ? nlohmann::json() : nlohmann::json(chosen->index)},
                        {"why_default", why_default(devices)},
                        {"devices", nlohmann::json::array()}};
  for (const auto& device : devices) result["devices"].push_back(to_json(device));
  fmt::print("{}\n", result.dump(2));
}

}  // namespace

void add_devices(Command& root) {
  auto& command = root.add_command("devices", "List the compute devices, with their drivers and backends");
  auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print JSON");
  command.set_action([json] {
    const auto devices = list_devices();
    *json ? print_json(devices) : print(devices);
    return exit_done;
  });
}

}  // namespace cambium::cli
