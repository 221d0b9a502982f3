// A compute device: which ones there are, which one to use, and how work is put on it.
//
// A Device owns one in-order queue: everything enqueued through it runs in the order of the calls, and only wait() and
// host copies block. Kernels come from the kernel library (sycl/kernel_library.hpp), matrix products and convolutions
// from the backends chosen for the device (sycl/gemm.hpp, sycl/convolution.hpp).
//
// This header does not include SYCL's: code above this folder compiles quickly and cannot bypass it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sycl/kernel_library.hpp"
#include "sycl/memory.hpp"

namespace cambium {

class GemmBackend;
class ConvolutionBackend;
struct DeviceHandle;  // the sycl::device; see sycl/handles.hpp

// Whether a backend can run on a device; `why_not` is empty when it can.
struct BackendStatus {
  std::string name;
  std::string why_not;
};

struct DeviceInfo {
  int index = 0;        // position in list_devices(), accepted by --device
  std::string backend;  // opencl, level_zero, cuda, hip, ...
  std::string type;     // cpu, gpu, accelerator
  int ordinal = 0;      // position among the devices of the same backend and type
  std::string name, vendor, driver;
  std::string unusable;  // why Cambium cannot run on it; empty when it can

  std::uint32_t compute_units = 0;
  std::uint64_t memory_bytes = 0, largest_allocation_bytes = 0, local_memory_bytes = 0;
  std::size_t largest_work_group = 0;
  std::vector<std::size_t> sub_group_sizes;
  bool fp64 = false;
  bool native_commands = false;  // host functions can be enqueued between kernels (OpenCL CPU devices)

  std::vector<BackendStatus> gemm, convolution;  // in order of preference; the first that can run is chosen

  std::shared_ptr<const DeviceHandle> handle;

  bool is_cpu() const { return type == "cpu"; }
  std::string selector() const;  // such as opencl:cpu:0, accepted by --device
};

// Every device of every SYCL backend, as ONEAPI_DEVICE_SELECTOR lets them be seen.
std::vector<DeviceInfo> list_devices();

// The best GPU, else a CPU; null when none can be used.
const DeviceInfo* default_device(const std::vector<DeviceInfo>& devices);

// Picks by `request`: empty (the default device), an index, a type (cpu, gpu), or backend:type[:ordinal], where
// "*" stands for any backend. Throws InputError, naming what exists, rather than fall back to something else.
const DeviceInfo& choose_device(const std::vector<DeviceInfo>& devices, const std::string& request);

struct DeviceOptions {
  std::string device;        // see choose_device
  bool kernel_cache = true;  // keep built kernels on disk between runs
};

// The size of a three-dimensional launch, slowest dimension first.
using Range3 = std::array<std::size_t, 3>;

struct KernelArgument {
  const void* data;
  std::size_t size;
};

// Must be destroyed before main() returns: the runtime compiler takes its own data down before static objects of ours.
class Device {
 public:
  explicit Device(const DeviceOptions& options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const;
  std::string summary() const;  // one line: name, size, chosen backends

  // Enqueues one work-item per index in [0, items); the kernel sees the range rounded up to whole work-groups.
  template <class... Args>
  void launch(const KernelUnit& unit, std::string_view kernel, std::size_t items, const Args&... args) {
    static_assert((std::is_trivially_copyable_v<Args> && ...));
    const KernelArgument packed[] = {{&args, sizeof(args)}...};
    enqueue(unit, kernel, items, packed);
  }

  // The same in three dimensions. The last should run along memory: it is what a CPU vectorises.
  template <class... Args>
  void launch(const KernelUnit& unit, std::string_view kernel, Range3 items, const Args&... args) {
    static_assert((std::is_trivially_copyable_v<Args> && ...));
    const KernelArgument packed[] = {{&args, sizeof(args)}...};
    enqueue(unit, kernel, items, packed);
  }

  // Enqueues groups[i] work-groups of group_size[i] items in each dimension.
  template <class... Args>
  void launch_groups(const KernelUnit& unit, std::string_view kernel, Range3 groups, Range3 group_size,
                     const Args&... args) {
    static_assert((std::is_trivially_copyable_v<Args> && ...));
    const KernelArgument packed[] = {{&args, sizeof(args)}...};
    enqueue(unit, kernel, groups, group_size, packed);
  }

  // Blocks until everything enqueued has run. Throws DeviceError if any of it failed.
  void wait();

  KernelLibrary& kernels();
  GemmBackend& gemm();
  ConvolutionBackend& convolution();
  // Backends by name, empty for the preferred one.
  void use_gemm_backend(const std::string& name);  // throws InputError naming those that work here
  void use_gemm_backend(std::unique_ptr<GemmBackend> backend);
  void use_convolution_backend(const std::string& name);  // likewise

  // Work-items per group of launch(); tests vary it. 0 restores the default.
  void set_work_group_size(std::size_t size);

  struct State;  // the SYCL objects; see sycl/handles.hpp
  State& state() { return *state_; }

 private:
  void enqueue(const KernelUnit& unit, std::string_view kernel, std::size_t items,
               std::span<const KernelArgument> arguments);
  void enqueue(const KernelUnit& unit, std::string_view kernel, Range3 items,
               std::span<const KernelArgument> arguments);
  void enqueue(const KernelUnit& unit, std::string_view kernel, Range3 groups, Range3 group_size,
               std::span<const KernelArgument> arguments);

  std::unique_ptr<State> state_;
};

}  // namespace cambium
