#include "sycl/gemm.hpp"

#include <vector>

#include "sycl/device.hpp"
#include "sycl/kernel_units.hpp"
#include "sycl/scale_arguments.hpp"

namespace cambium {
namespace {

template <class T>
void check_operand(const Matrices<T>& matrices, std::int64_t replicas, std::int64_t rows, std::int64_t columns,
                   std::string_view which) {
  expect(matrices.rows == rows && matrices.columns == columns && matrices.replicas == replicas,
         "gemm: {} is {} x ({}, {}), the product needs {} x ({}, {})", which, matrices.replicas, matrices.rows,
         matrices.columns, replicas, rows, columns);
  expect(matrices.leading >= columns && matrices.stride >= 0 &&
             static_cast<std::size_t>(matrices.extent()) <= matrices.data.size(),
         "gemm: {} reaches to element {} of a view of {}", which, matrices.extent(), matrices.data.size());
}

}  // namespace

std::span<const GemmBackendEntry> gemm_backends() {
  static const std::vector<GemmBackendEntry> entries{
#ifdef CAMBIUM_WITH_MKL
      native_gemm,
#else
      {"native", [](const DeviceInfo&) { return std::string("Cambium was built without oneMKL and TBB"); }, nullptr},
#endif
#ifdef CAMBIUM_WITH_MKL_SYCL
      onemkl_gemm,
#else
      {"onemkl", [](const DeviceInfo&) { return std::string("Cambium was built without oneMKL's SYCL library"); },
       nullptr},
#endif
      portable_gemm};
  return entries;
}

void GemmGroup::add(Transpose transpose_a, Transpose transpose_b, float alpha, Matrices<const float> a,
                    Matrices<const float> b, float beta, Matrices<float> c, const GemmEpilogue& epilogue) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  const std::int64_t m = c.rows, n = c.columns, k = ta ? a.rows : a.columns;
  check_operand(a, c.replicas, ta ? k : m, ta ? m : k, "A");
  check_operand(b, c.replicas, tb ? n : k, tb ? k : n, "B");
  check_operand(c, c.replicas, m, n, "C");
  expect(c.replicas <= 1 || c.stride >= (m - 1) * c.leading + n, "gemm: the replicas of C overlap");

  const bool has_epilogue = !epilogue.bias.empty() || !epilogue.mask.empty() || epilogue.relu;
  expect(!has_epilogue || (k > 0 && device_.gemm().fuses_epilogue()),
         "gemm: {} has no epilogue for an inner size of {}", device_.gemm().name(), k);

  if (c.replicas == 0 || m == 0 || n == 0) return;
  if (k == 0) {
    device_.launch(
        Kernel(scale_unit, kernels::scale), static_cast<std::size_t>(c.replicas * m * n),
        {c.data, static_cast<std::uint64_t>(c.leading), static_cast<std::uint64_t>(c.stride),
         static_cast<std::uint32_t>(c.replicas), static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(n), beta});
    return;
  }
  calls_.push_back({transpose_a, transpose_b, m, n, k, c.replicas, alpha, beta, a, b, c, epilogue});
}

void GemmGroup::run() {
  if (calls_.empty()) return;
  GemmBackend& backend = device_.gemm();
  if (!backend.recordable()) device_.leave_recording("GEMM", backend.name());
  if (calls_.size() == 1)
    backend.run(calls_.front());
  else
    backend.run_together(calls_);
  calls_.clear();
}

void gemm(Device& device, Transpose transpose_a, Transpose transpose_b, float alpha, Matrices<const float> a,
          Matrices<const float> b, float beta, Matrices<float> c, const GemmEpilogue& epilogue) {
  GemmGroup single(device);
  single.add(transpose_a, transpose_b, alpha, a, b, beta, c, epilogue);
  single.run();
}

}  // namespace cambium
