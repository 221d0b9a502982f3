#include "sycl/device_info.hpp"

#include <CL/cl.h>

#include <cstdlib>
#include <map>
#include <sycl/backend/opencl.hpp>

#include "sycl/handles.hpp"
#include "sycl/runtime.hpp"

namespace cambium {
namespace {

std::string backend_name(sycl::backend backend) {
  switch (backend) {
    case sycl::backend::opencl:
      return "opencl";
    case sycl::backend::ext_oneapi_level_zero:
      return "level_zero";
    case sycl::backend::ext_oneapi_cuda:
      return "cuda";
    case sycl::backend::ext_oneapi_hip:
      return "hip";
    default:
      return "other";
  }
}

std::string type_name(const sycl::device& device) {
  if (device.is_cpu()) return "cpu";
  if (device.is_gpu()) return "gpu";
  return "accelerator";
}

std::string platform_of(const sycl::device& device) {
  const auto platform = device.get_platform();
  return fmt::format("{}, {}", platform.get_info<sycl::info::platform::name>(),
                     platform.get_info<sycl::info::platform::version>());
}

std::string why_unusable(sycl::device device) {
  namespace syclexp = sycl::ext::oneapi::experimental;
  if (!device.has(sycl::aspect::usm_device_allocations)) return "its driver has no unified shared memory (USM)";
  if (!device.ext_oneapi_can_build(syclexp::source_language::sycl))
    return "this DPC++ runtime cannot compile SYCL kernels for it at run time";
  return {};
}

std::string graph_support(const sycl::device& device) {
  if (device.has(sycl::aspect::ext_oneapi_graph)) return "full";
  if (device.has(sycl::aspect::ext_oneapi_limited_graph)) return "limited";
  return {};
}

bool accepts_native_commands(const sycl::device& device) {
  if (device.get_backend() != sycl::backend::opencl || !device.is_cpu()) return false;
  cl_device_exec_capabilities capabilities = 0;
  clGetDeviceInfo(sycl::get_native<sycl::backend::opencl>(device), CL_DEVICE_EXECUTION_CAPABILITIES,
                  sizeof capabilities, &capabilities, nullptr);
  return (capabilities & CL_EXEC_NATIVE_KERNEL) != 0;
}

}  // namespace

DeviceInfo describe(const sycl::device& device) {
  namespace get = sycl::info::device;
  DeviceInfo info;
  info.handle = std::make_shared<DeviceHandle>(DeviceHandle{device});
  info.backend = backend_name(device.get_backend());
  info.type = type_name(device);
  info.name = device.get_info<get::name>();
  info.vendor = device.get_info<get::vendor>();
  info.driver = device.get_info<get::driver_version>();
  info.platform = platform_of(device);
  info.unusable = why_unusable(device);
  info.compute_units = device.get_info<get::max_compute_units>();
  info.clock_megahertz = device.get_info<get::max_clock_frequency>();
  info.memory_bytes = device.get_info<get::global_mem_size>();
  info.largest_allocation_bytes = device.get_info<get::max_mem_alloc_size>();
  info.local_memory_bytes = device.get_info<get::local_mem_size>();
  info.largest_work_group = device.get_info<get::max_work_group_size>();
  info.sub_group_sizes = device.get_info<get::sub_group_sizes>();
  info.vector_width = device.get_info<get::native_vector_width_float>();
  info.fp64 = device.has(sycl::aspect::fp64);
  info.native_commands = accepts_native_commands(device);
  info.graphs = graph_support(device);
  if (!info.unusable.empty()) return info;
  for (const auto& backend : gemm_backends()) info.gemm.push_back({std::string(backend.name), backend.why_not(info)});
  for (const auto& backend : convolution_backends())
    info.convolution.push_back({std::string(backend.name), backend.why_not(info)});
  return info;
}

std::string DeviceInfo::selector() const {
  return fmt::format("{}:{}:{}{}", backend, type, ordinal, part < 0 ? "" : fmt::format(".{}", part));
}

std::vector<DeviceInfo> list_devices() {
  prepare_runtime();
  std::vector<DeviceInfo> devices;
  std::map<std::string, int> count;
  try {
    for (const auto& device : sycl::device::get_devices()) {
      DeviceInfo info = describe(device);
      info.index = static_cast<int>(devices.size());
      info.ordinal = count[info.backend + info.type]++;
      devices.push_back(std::move(info));
    }
  } catch (const sycl::exception& error) {
    // DPC++ throws when ONEAPI_DEVICE_SELECTOR is malformed or excludes everything.
    const char* selector = std::getenv("ONEAPI_DEVICE_SELECTOR");
    if (selector == nullptr) throw_device_error("cannot list the SYCL devices: {}", error.what());
    throw_input_error("ONEAPI_DEVICE_SELECTOR={}: {}\nUnset it to see every device: cambium devices", selector,
                      error.what());
  }
  return devices;
}

}  // namespace cambium
