// The native GEMM backend: cblas_sgemm as a native command on the OpenCL queue under the SYCL queue.
//
// Enqueued that way a host function keeps its place between the kernels and costs 2 us, where a SYCL host_task (what
// oneMKL's SYCL interface uses on a CPU) costs 93 with a wait after it, and over 1000 without. Inside, the product is
// cut into blocks that call sequential oneMKL on the threads of the device itself. The cut depends on the shape alone,
// so neither the number of threads nor the other replicas can change a bit of the result.

#include <CL/cl.h>
#include <mkl_cblas.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <sycl/backend/opencl.hpp>

#include "sycl/gemm_blocks.hpp"
#include "sycl/handles.hpp"

namespace cambium {
namespace {

// The call with bare addresses; OpenCL copies it into the command.
struct NativeGemm {
  GemmCall call;
  const float *a, *b;
  float* c;
};

void multiply_block(const NativeGemm& gemm, std::int64_t replica, const GemmBlock& block) {
  const GemmCall& call = gemm.call;
  const bool ta = call.transpose_a == Transpose::yes, tb = call.transpose_b == Transpose::yes;
  const float* a = gemm.a + replica * call.a.stride + (ta ? block.row : block.row * call.a.leading);
  const float* b = gemm.b + replica * call.b.stride + (tb ? block.column * call.b.leading : block.column);
  float* c = gemm.c + replica * call.c.stride + block.row * call.c.leading + block.column;
  cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans,
              static_cast<MKL_INT>(block.rows), static_cast<MKL_INT>(block.columns), static_cast<MKL_INT>(call.k),
              call.alpha, a, static_cast<MKL_INT>(call.a.leading), b, static_cast<MKL_INT>(call.b.leading), call.beta,
              c, static_cast<MKL_INT>(call.c.leading));
}

void CL_CALLBACK run_command(void* argument) {
  const auto& gemm = *static_cast<const NativeGemm*>(argument);
  const GemmBlocks blocks(gemm.call.m, gemm.call.n, gemm.call.k, gemm.call.transpose_b == Transpose::yes);
  const std::int64_t tasks = gemm.call.replicas * blocks.count();
  const auto task = [&](std::int64_t i) { multiply_block(gemm, i / blocks.count(), blocks[i % blocks.count()]); };
  if (tasks == 1)
    task(0);
  else if (blocks.flops() * static_cast<double>(tasks) < 2 * GemmBlocks::flops_per_block)
    for (std::int64_t i = 0; i < tasks; ++i) task(i);  // Waking a second thread takes longer.
  else
    tbb::parallel_for(std::int64_t{0}, tasks, task, tbb::static_partitioner{});
}

class NativeBackend final : public GemmBackend {
 public:
  explicit NativeBackend(Device& device) : queue_(sycl::get_native<sycl::backend::opencl>(device.state().queue)) {}
  ~NativeBackend() override { clReleaseCommandQueue(queue_); }

  std::string_view name() const override { return native_gemm.name; }

  void run(const GemmCall& call) override {
    NativeGemm gemm{call, RawAccess::address(call.a.data), RawAccess::address(call.b.data),
                    RawAccess::address(call.c.data)};
    const cl_int status =
        clEnqueueNativeKernel(queue_, run_command, &gemm, sizeof gemm, 0, nullptr, nullptr, 0, nullptr, nullptr);
    if (status != CL_SUCCESS)
      throw_device_error(
          "gemm: clEnqueueNativeKernel failed with OpenCL error {}; the portable backend does not use native commands",
          status);
  }

 private:
  cl_command_queue queue_;
};

std::string why_not(const DeviceInfo& device) {
  return device.native_commands ? "" : "the device takes no native commands (OpenCL CPU devices do)";
}

}  // namespace

const GemmBackendEntry native_gemm{"native", why_not, [](Device& device) -> std::unique_ptr<GemmBackend> {
                                     return std::make_unique<NativeBackend>(device);
                                   }};

}  // namespace cambium
