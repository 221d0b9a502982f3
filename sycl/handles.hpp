// The SYCL objects behind Device, for the files of this folder that call SYCL or a vendor library directly.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <sycl/sycl.hpp>
#include <utility>

#include "sycl/convolution.hpp"
#include "sycl/device.hpp"
#include "sycl/error.hpp"
#include "sycl/gemm.hpp"

namespace cambium {

struct DeviceHandle {
  sycl::device device;
};

struct Kernel {
  sycl::kernel kernel;
  std::size_t largest_work_group;
};

struct Device::State {
  State(DeviceInfo device_info, bool kernel_cache, Device& owner);

  DeviceInfo info;
  sycl::queue queue;
  KernelLibrary kernels;
  std::unique_ptr<GemmBackend> gemm;
  std::unique_ptr<ConvolutionBackend> convolution;
  std::size_t work_group_size;
#ifdef CAMBIUM_CHECKED
  Fault* fault = nullptr;
  std::string last_kernel;
#endif
};

// Runs `work`; what SYCL throws becomes a DeviceError that says what was going on.
template <class Work>
decltype(auto) calling_sycl(std::string_view doing, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const sycl::exception& error) {
    throw_device_error(
        "{}: {}\nTry `cambium selftest` on this device, another one (`cambium devices` lists them, --device chooses), "
        "or a newer driver.",
        doing, error.what());
  }
}

}  // namespace cambium
