// The native GEMM backend: cblas_sgemm as a native command on the OpenCL queue under the SYCL queue.
//
// A host function that is enqueued this way runs in order with the kernels and costs 2 us. A SYCL host_task (used by
// oneMKL's SYCL interface on a CPU) costs 93 us with a wait after it, and over 1000 us without. Inside, the product is
// cut into blocks that call sequential oneMKL on the threads of the device itself. The cut depends on the shape alone,
// so neither the number of threads nor the other replicas can change a bit of the result.

#include <CL/cl.h>
#include <mkl_cblas.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <sycl/backend/opencl.hpp>

#include "sycl/gemm_blocks.hpp"
#include "sycl/handles.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_products = 8;  // in one command

// Between the kernels of a training step the other threads usually sleep. To wake one takes as long as this number of
// floating-point operations.
constexpr double worth_a_second_thread = 3.0e6;

// The call with bare addresses.
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

// The independent products of one command.
struct Command {
  FirstError* error;
  std::size_t count;
  alignas(
      NativeGemm) std::byte storage[most_products * sizeof(NativeGemm)];  // of the first `count`, uninitialised beyond

  std::span<const NativeGemm> products() const { return {reinterpret_cast<const NativeGemm*>(storage), count}; }
};

void run_products(std::span<const NativeGemm> products) {
  // All blocks of all replicas of all products, numbered through.
  struct Part {
    const NativeGemm* gemm;
    GemmBlocks blocks;
    std::int64_t first;
  };
  std::array<std::optional<Part>, most_products> parts;
  std::int64_t tasks = 0;
  double flops = 0;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const GemmCall& call = products[i].call;
    const GemmBlocks blocks(call.m, call.n, call.k, call.transpose_b == Transpose::yes);
    parts[i] = Part{&products[i], blocks, tasks};
    tasks += call.replicas * blocks.count();
    flops += blocks.flops() * static_cast<double>(call.replicas * blocks.count());
  }
  const auto task = [&](std::int64_t number) {
    std::size_t part = products.size() - 1;
    while (number < parts[part]->first) --part;
    const auto& [gemm, blocks, first] = *parts[part];
    multiply_block(*gemm, (number - first) / blocks.count(), blocks[(number - first) % blocks.count()]);
  };
  if (tasks == 1)
    task(0);
  else if (flops < worth_a_second_thread)
    for (std::int64_t i = 0; i < tasks; ++i) task(i);
  else if (products.size() == 1)
    tbb::parallel_for(std::int64_t{0}, tasks, task, tbb::static_partitioner{});
  else
    tbb::parallel_for(std::int64_t{0}, tasks, task, tbb::simple_partitioner{});  // Tasks of unequal length.
}

// OpenCL calls this function, and no exception may reach it: Device::wait() rethrows the first one.
void CL_CALLBACK run_command(void* argument) {
  const auto& command = *static_cast<const Command*>(argument);
  try {
    run_products(command.products());
  } catch (...) {
    command.error->store(std::current_exception());
  }
}

class NativeBackend final : public GemmBackend {
 public:
  explicit NativeBackend(Device& device)
      : queue_(sycl::get_native<sycl::backend::opencl>(device.state().queue())), error_(device.state().native_error) {}
  ~NativeBackend() override { clReleaseCommandQueue(queue_); }

  std::string_view name() const override { return native_gemm.name; }

  void run(const GemmCall& call) override { run_together(std::span(&call, 1)); }

  void run_together(std::span<const GemmCall> calls) override {
    for (; !calls.empty(); calls = calls.subspan(std::min(calls.size(), most_products)))
      enqueue(calls.first(std::min(calls.size(), most_products)));
  }

 private:
  // OpenCL copies the command, so it may live on the stack. Only the products that it has are copied.
  void enqueue(std::span<const GemmCall> calls) {
    Command command;
    command.error = &error_;
    command.count = calls.size();
    for (std::size_t i = 0; i < calls.size(); ++i)
      new (command.storage + i * sizeof(NativeGemm))
          NativeGemm{calls[i], RawAccess::address(calls[i].a.data), RawAccess::address(calls[i].b.data),
                     RawAccess::address(calls[i].c.data)};
    const std::size_t size = offsetof(Command, storage) + calls.size() * sizeof(NativeGemm);
    const cl_int status =
        clEnqueueNativeKernel(queue_, run_command, &command, size, 0, nullptr, nullptr, 0, nullptr, nullptr);
    if (status != CL_SUCCESS)
      throw_device_error(
          "gemm: clEnqueueNativeKernel failed with OpenCL error {}; the portable backend does not use native commands",
          status);
  }

  cl_command_queue queue_;
  FirstError& error_;
};

std::string why_not(const DeviceInfo& device) {
  return device.native_commands ? "" : "the device has no native commands (OpenCL CPU devices have them)";
}

}  // namespace

const GemmBackendEntry native_gemm{"native", why_not, [](Device& device) -> std::unique_ptr<GemmBackend> {
                                     return std::make_unique<NativeBackend>(device);
                                   }};

}  // namespace cambium
