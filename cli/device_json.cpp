#include "cli/device_json.hpp"

#include <nlohmann/json.hpp>

#include "sycl/device.hpp"

namespace cambium::cli {
namespace {

nlohmann::json backends_to_json(const std::vector<BackendStatus>& backends) {
  nlohmann::json result{{"chosen", nullptr}, {"backends", nlohmann::json::array()}};
  for (const auto& backend : backends) {
    if (backend.why_not.empty() && result["chosen"].is_null()) result["chosen"] = backend.name;
    result["backends"].push_back({{"name", backend.name}, {"works", backend.why_not.empty()}});
    if (!backend.why_not.empty()) result["backends"].back()["why_not"] = backend.why_not;
  }
  return result;
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

}  // namespace cambium::cli
