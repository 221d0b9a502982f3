// Matrix products for R replicas at once: C[r] := alpha * op(A[r]) * op(B[r]) + beta * C[r].
//
// Three backends compute the same, and are tested against the same double-precision reference:
//   native    oneMKL's C interface, as a host function enqueued between the kernels   (OpenCL CPU devices)
//   onemkl    oneMKL's SYCL interface                                                  (Intel GPUs and CPUs)
//   portable  our own SYCL kernels, sycl/gemm_portable.hpp                             (every device)
//
// A replica's result depends on its own operands and their shape only: not on the number of threads, nor on how many
// other replicas share the call. With beta = 0, C is written without being read. Any dimension may be 0 or 1.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sycl/memory.hpp"

namespace cambium {

class Device;
struct DeviceInfo;

enum class Transpose : bool { no, yes };

// R row-major matrices. Row i of replica r starts at data[r * stride + i * leading]; a stride of 0 shares one matrix
// between all replicas.
template <class T>
struct Matrices {
  View<T> data;
  std::int64_t replicas = 0, rows = 0, columns = 0, leading = 0, stride = 0;

  Matrices() = default;
  // Densely packed.
  Matrices(View<T> data, std::int64_t replicas, std::int64_t rows, std::int64_t columns)
      : Matrices(data, replicas, rows, columns, columns, rows * columns) {}
  Matrices(View<T> data, std::int64_t replicas, std::int64_t rows, std::int64_t columns, std::int64_t leading,
           std::int64_t stride)
      : data(data), replicas(replicas), rows(rows), columns(columns), leading(leading), stride(stride) {}
  operator Matrices<const T>() const requires(!std::is_const_v<T>) {
    return {data, replicas, rows, columns, leading, stride};
  }

  // Elements from the first to the last one used; the view must hold that many.
  std::int64_t extent() const {
    if (replicas == 0 || rows == 0 || columns == 0) return 0;
    return (replicas - 1) * stride + (rows - 1) * leading + columns;
  }
};

// The operation on a product before it is written: C := mask * phi(C + bias), with phi(x) = max(x, 0) or x. Only for
// backends that fuse it; see GemmBackend::fuses_epilogue.
struct GemmEpilogue {
  View<const float> bias, mask;  // (R, N) or empty, replicas `stride` apart
  std::int64_t stride = 0;
  bool relu = false;
};

void gemm(Device& device, Transpose transpose_a, Transpose transpose_b, float alpha, Matrices<const float> a,
          Matrices<const float> b, float beta, Matrices<float> c, const GemmEpilogue& epilogue = {});

// A checked product with no empty dimension, as backends receive it.
struct GemmCall {
  Transpose transpose_a, transpose_b;
  std::int64_t m, n, k, replicas;
  float alpha, beta;
  Matrices<const float> a, b;
  Matrices<float> c;
  GemmEpilogue epilogue;
};

// Products that neither read nor write what another of them writes: a backend may run them side by side, as one
// command.
class GemmGroup {
 public:
  explicit GemmGroup(Device& device) : device_(device) {}
  void add(Transpose transpose_a, Transpose transpose_b, float alpha, Matrices<const float> a, Matrices<const float> b,
           float beta, Matrices<float> c, const GemmEpilogue& epilogue = {});
  void run();  // the group is empty afterwards

 private:
  Device& device_;
  std::vector<GemmCall> calls_;
};

class GemmBackend {
 public:
  virtual ~GemmBackend() = default;
  virtual std::string_view name() const = 0;
  virtual bool fuses_epilogue() const { return false; }
  // True if it uses nothing but Device::launch(), so that its steps can be recorded.
  virtual bool recordable() const { return false; }
  virtual void run(const GemmCall& call) = 0;
  // Independent products.
  virtual void run_together(std::span<const GemmCall> calls) {
    for (const auto& call : calls) run(call);
  }
};

struct GemmBackendEntry {
  std::string_view name;
  std::string (*why_not)(const DeviceInfo& device);  // empty when it runs on the device
  std::unique_ptr<GemmBackend> (*make)(Device& device);
};

// All backends in order of preference. Those that this program was built without give that as their reason.
std::span<const GemmBackendEntry> gemm_backends();

extern const GemmBackendEntry native_gemm, onemkl_gemm, portable_gemm;

}  // namespace cambium
