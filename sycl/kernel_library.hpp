// The kernel library builds kernel units for one device when they are first used.
//
// It builds each unit at most once per process and device, with DPC++'s runtime compiler, and keeps the device's binary
// on disk (sycl/kernel_cache.hpp).
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include "sycl/kernel_source.hpp"

namespace cambium {

class Device;
struct BuiltKernel;  // see sycl/handles.hpp

class KernelLibrary {
 public:
  KernelLibrary(Device& device, bool use_disk_cache);
  ~KernelLibrary();

  // Builds the unit if necessary. Throws DeviceError with the compiler's log when it does not compile.
  const BuiltKernel& get(const KernelUnit& unit, std::string_view kernel,
                         ArgumentPlace place = ArgumentPlace::parameter);

  // Builds these units now instead of on first use, with arguments as parameters.
  void build_all(std::span<const KernelUnit* const> units);

  struct Statistics {
    int compiled = 0, loaded = 0;  // units built from source, units taken from the disk cache
    double seconds = 0;
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  struct BuiltUnit;
  BuiltUnit& build(const KernelUnit& unit, ArgumentPlace place);

  Device& device_;
  bool use_disk_cache_;
  std::unordered_map<const KernelUnit*, std::array<std::unique_ptr<BuiltUnit>, 2>> built_;  // the array: by place
  Statistics statistics_;
};

}  // namespace cambium
