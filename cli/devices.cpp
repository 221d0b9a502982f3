// cambium devices: what there is to compute on, and how.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "sycl/tuning.hpp"

namespace cambium::cli {
namespace {

double gibibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

nlohmann::json backends_to_json(const std::vector<BackendStatus>& backends) {
  nlohmann::json result{{"chosen", nullptr}, {"backends", nlohmann::json::array()}};
  for (const auto& backend : backends) {
    if (backend.why_not.empty() && result["chosen"].is_null()) result["chosen"] = backend.name;
    result["backends"].push_back({{"name", backend.name}, {"works", backend.why_not.empty()}});
    if (!backend.why_not.empty()) result["backends"].back()["why_not"] = backend.why_not;
  }
  return result;
}

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
  fmt::print("    memory       {:.1f} GiB, {:.1f} GiB in one piece; {} KiB local\n", gibibytes(device.memory_bytes),
             gibibytes(device.largest_allocation_bytes), device.local_memory_bytes / 1024);
  fmt::print("    graphs       {}\n", device.graphs.empty()     ? "no: steps cannot be recorded"
                                      : device.graphs == "full" ? "yes (ext_oneapi_graph)"
                                                                : "yes (ext_oneapi_limited_graph)");
  if (!device.unusable.empty()) return fmt::print("    not usable   {}\n", device.unusable);
  print_backends("gemm", device.gemm);
  print_backends("convolution", device.convolution);
  const auto tuned = Tuning::load(device).size();
  fmt::print("    tiles        {}\n", tuned == 0 ? "default; `cambium tune` measures which are faster"
                                                 : fmt::format("tuned for {} products by `cambium tune`", tuned));
}

}  // namespace

nlohmann::json to_json(const DeviceInfo& device) {
  nlohmann::json result{{"index", device.index},
                        {"selector", device.selector()},
                        {"name", device.name},
                        {"vendor", device.vendor},
                        {"driver", device.driver},
                        {"platform", device.platform},
                        {"backend", device.backend},
                        {"type", device.type},
                        {"compute_units", device.compute_units},
                        {"clock_megahertz", device.clock_megahertz},
                        {"memory_bytes", device.memory_bytes},
                        {"largest_allocation_bytes", device.largest_allocation_bytes},
                        {"local_memory_bytes", device.local_memory_bytes},
                        {"largest_work_group", device.largest_work_group},
                        {"sub_group_sizes", device.sub_group_sizes},
                        {"fp64", device.fp64},
                        {"graphs", device.graphs.empty() ? nlohmann::json(false) : nlohmann::json(device.graphs)},
                        {"usable", device.unusable.empty()}};
  if (device.unusable.empty()) {
    result["gemm"] = backends_to_json(device.gemm);
    result["convolution"] = backends_to_json(device.convolution);
  } else {
    result["why_not"] = device.unusable;
  }
  return result;
}

void add_devices(CLI::App& app) {
  auto* command = app.add_subcommand("devices", "List the devices that there are to compute on, and what runs on them");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([json] {
    const auto devices = list_devices();
    const DeviceInfo* chosen = default_device(devices);
    if (*json) {
      nlohmann::json result{{"default", chosen == nullptr ? nlohmann::json() : nlohmann::json(chosen->index)},
                            {"why_default", why_default(devices)},
                            {"devices", nlohmann::json::array()}};
      for (const auto& device : devices) result["devices"].push_back(to_json(device));
      return fmt::print("{}\n", result.dump(2));
    }
    for (const auto& device : devices) print_device(device, &device == chosen);
    if (const char* selector = std::getenv("ONEAPI_DEVICE_SELECTOR"))
      fmt::print("ONEAPI_DEVICE_SELECTOR={} hides all other devices.\n", selector);
    if (chosen == nullptr)
      fmt::print("No usable device. A GPU needs its vendor's driver; see docs/portability.md.\n");
    else
      fmt::print("\n* is used unless --device or ONEAPI_DEVICE_SELECTOR says otherwise: {}.\n", why_default(devices));
  });
}

}  // namespace cambium::cli
