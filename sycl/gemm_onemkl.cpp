// The onemkl GEMM backend: oneMKL's SYCL interface, one strided batch per call.
//
// On a CPU, oneMKL submits a SYCL host_task. A host_task does not wait for native commands on the queue, and a chain of
// them meets a delay of 1 ms in the runtime, so on CPU devices the backend waits before and after each call.

#include <oneapi/mkl/blas.hpp>

#include "sycl/handles.hpp"

namespace cambium {
namespace {

class OnemklBackend final : public GemmBackend {
 public:
  explicit OnemklBackend(Device& device) : device_(device) {}

  std::string_view name() const override { return onemkl_gemm.name; }

  void run(const GemmCall& call) override {
    using oneapi::mkl::transpose;
    const auto transposed = [](Transpose t) { return t == Transpose::yes ? transpose::trans : transpose::nontrans; };
    sycl::queue& queue = device_.state().queue();
    const bool host = device_.info().is_cpu();
    calling_sycl("oneMKL gemm_batch", [&] {
      if (host) queue.wait_and_throw();
      oneapi::mkl::blas::row_major::gemm_batch(
          queue, transposed(call.transpose_a), transposed(call.transpose_b), call.m, call.n, call.k, call.alpha,
          RawAccess::address(call.a.data), call.a.leading, call.a.stride, RawAccess::address(call.b.data),
          call.b.leading, call.b.stride, call.beta, RawAccess::address(call.c.data), call.c.leading, call.c.stride,
          call.replicas);
      if (host) queue.wait_and_throw();
    });
  }

 private:
  Device& device_;
};

std::string why_not(const DeviceInfo& device) {
  if (device.is_cpu()) return device.backend == "opencl" ? "" : "oneMKL runs on CPUs through OpenCL only";
  if (device.type == "gpu" && device.vendor.find("Intel") != std::string::npos) return "";
  return "oneMKL's SYCL library supports Intel devices only";
}

}  // namespace

const GemmBackendEntry onemkl_gemm{"onemkl", why_not, [](Device& device) -> std::unique_ptr<GemmBackend> {
                                     return std::make_unique<OnemklBackend>(device);
                                   }};

}  // namespace cambium
