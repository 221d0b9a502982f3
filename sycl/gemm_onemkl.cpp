// The onemkl GEMM backend: oneMKL's SYCL interface, one strided batch per call.
//
// oneMKL has no CPU kernels of its own for SYCL queues: it submits a host_task. That does not see native commands on
// the queue, and a chain of them runs into a 1 ms delay in the runtime, so on CPU devices we wait on both sides.

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
  return "oneMKL's SYCL library serves Intel devices only";
}

}  // namespace

const GemmBackendEntry onemkl_gemm{"onemkl", why_not, [](Device& device) -> std::unique_ptr<GemmBackend> {
                                     return std::make_unique<OnemklBackend>(device);
                                   }};

}  // namespace cambium
