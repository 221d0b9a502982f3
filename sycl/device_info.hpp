// The compute devices of this machine: their capabilities, and the choice of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cambium {

struct DeviceHandle;  // the sycl::device; see sycl/handles.hpp

// A backend and the reason why it cannot run on a device; `why_not` is empty if it can.
struct BackendStatus {
  std::string name;
  std::string why_not;
};

struct DeviceInfo {
  int index = 0;        // position in list_devices(), accepted by --device
  std::string backend;  // opencl, level_zero, cuda, hip, ...
  std::string type;     // cpu, gpu, accelerator
  int ordinal = 0;      // position among the devices of the same backend and type
  int part = -1;        // position among the parts of the device, -1 for the whole device
  std::string name, vendor, driver;
  std::string platform;  // name and version of the runtime: several may drive the same processor
  std::string unusable;  // why Cambium cannot run on it; empty when it can

  std::uint32_t compute_units = 0, clock_megahertz = 0;
  std::uint64_t memory_bytes = 0, largest_allocation_bytes = 0, local_memory_bytes = 0;
  std::size_t largest_work_group = 0;
  std::vector<std::size_t> sub_group_sizes;
  std::uint32_t vector_width = 1;  // floats in a register of a CPU
  bool fp64 = false;
  bool native_commands = false;  // host functions can be enqueued between kernels (OpenCL CPU devices)
  std::string graphs;            // how kernels can be recorded as SYCL graphs: "full", "limited", or empty for not

  std::vector<BackendStatus> gemm, convolution;  // in order of preference; the first that can run is chosen

  std::shared_ptr<const DeviceHandle> handle;

  bool is_cpu() const { return type == "cpu"; }
  std::string selector() const;  // such as opencl:cpu:0, or opencl:cpu:0.1 for a part, accepted by --device
};

// Every device of every SYCL backend that ONEAPI_DEVICE_SELECTOR leaves visible.
std::vector<DeviceInfo> list_devices();

// The most capable GPU, else the CPU on which the faster backends work; null if no device can be used.
const DeviceInfo* default_device(const std::vector<DeviceInfo>& devices);

// Why default_device() prefers the device that it returns to every other one; empty when it returns null.
std::string why_default(const std::vector<DeviceInfo>& devices);

// Chooses by `request`: empty (the default device), an index, a type (cpu, gpu), backend:type[:ordinal], where "*" is
// any backend, or a part of a name, vendor or platform that matches one device only; case is ignored. Of several
// devices of a type, the one that default_device() prefers is chosen. Throws InputError that lists the devices if none
// matches.
const DeviceInfo& choose_device(const std::vector<DeviceInfo>& devices, const std::string& request);

// The same among the devices of this machine, or a part of one as REQUEST.PART. Parts are the NUMA nodes or tiles that
// the driver reports, if there are at least two, else two halves of the compute units.
DeviceInfo find_device(const std::string& request);

// The devices of a list such as "0,1". Throws InputError when two of them share hardware of one runtime.
std::vector<DeviceInfo> find_devices(const std::string& requests);

}  // namespace cambium
