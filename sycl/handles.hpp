// The SYCL objects behind Device, for the files of this folder that call SYCL or a vendor library directly.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <sycl/sycl.hpp>
#include <utility>

#include "base/error.hpp"
#include "sycl/convolution.hpp"
#include "sycl/device.hpp"
#include "sycl/first_error.hpp"
#include "sycl/gemm.hpp"
#include "sycl/step_recorder.hpp"
#include "sycl/tuning.hpp"

namespace cambium {

struct DeviceHandle {
  sycl::device device;
};

// Describes a device, except for its position among other devices.
DeviceInfo describe(const sycl::device& device);

struct BuiltKernel {
  sycl::kernel kernel;
  std::size_t largest_work_group;
};

// The backends of one operation that were used so far, each made once, and the one in use.
template <class Backend>
class BackendSet {
 public:
  Backend& in_use() const { return *in_use_; }

  template <class Make>
  void use(std::string_view name, Make&& make) {
    for (const auto& backend : made_)
      if (backend->name() == name) {
        in_use_ = backend.get();
        return;
      }
    use(make());
  }
  void use(std::unique_ptr<Backend> backend) {
    made_.push_back(std::move(backend));
    in_use_ = made_.back().get();
  }

 private:
  std::vector<std::unique_ptr<Backend>> made_;
  Backend* in_use_ = nullptr;
};

struct Device::State {
  State(DeviceInfo device_info, const DeviceOptions& options, Device& owner);

  DeviceInfo info;

 private:
  friend class Device;
  sycl::queue queue_;

 public:
  // The queue, for any command. Collected launches of a step are submitted first.
  sycl::queue& queue() {
    steps.release();
    return queue_;
  }
  // The queue, for its device and context and for memory, but not for commands.
  const sycl::queue& queue_handle() const { return queue_; }

  KernelLibrary kernels;
  BackendSet<GemmBackend> gemm;
  BackendSet<ConvolutionBackend> convolution;
  Tuning tuning;
  PortableKernels portable_kernels;
  std::size_t work_group_size;
  StepRecorder steps;
  FirstError native_error;  // of native commands
#ifdef CAMBIUM_CHECKED
  Fault* fault = nullptr;
  std::string last_kernel;
#endif
};

// Compiles a unit for the queue's device, as KernelLibrary does when it has no binary of it.
sycl::kernel_bundle<sycl::bundle_state::executable> compile(const KernelUnit& unit, const sycl::queue& queue,
                                                            ArgumentPlace place = ArgumentPlace::parameter);

// Runs `work` and turns an exception of SYCL into a DeviceError that names the operation.
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
