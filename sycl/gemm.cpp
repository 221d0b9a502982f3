#include "sycl/gemm.hpp"

#include <vector>

#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit scale_unit("sycl/scale.sycl");

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
                    Matrices<const float> b, float beta, Matrices<float> c) {
  const bool ta = transpose_a == Transpose::yes, tb = transpose_b == Transpose::yes;
  const std::int64_t m = c.rows, n = c.columns, k = ta ? a.rows : a.columns;
  check_operand(a, c.replicas, ta ? k : m, ta ? m : k, "A");
  check_operand(b, c.replicas, tb ? n : k, tb ? k : n, "B");
  check_operand(c, c.replicas, m, n, "C");
  expect(c.replicas <= 1 || c.stride >= (m - 1) * c.leading + n, "gemm: the replicas of C overlap");

  if (c.replicas == 0 || m == 0 || n == 0) return;
  if (k == 0) {
    device_.launch(scale_unit, "scale", static_cast<std::size_t>(c.replicas * m * n), c.data, beta,
                   static_cast<std::uint32_t>(c.replicas), static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(n),
                   static_cast<std::uint64_t>(c.leading), static_cast<std::uint64_t>(c.stride));
    return;
  }
  calls_.push_back({transpose_a, transpose_b, m, n, k, c.replicas, alpha, beta, a, b, c});
}

void GemmGroup::run() {
  if (calls_.size() == 1)
    device_.gemm().run(calls_.front());
  else if (!calls_.empty())
    device_.gemm().run_together(calls_);
  calls_.clear();
}

void gemm(Device& device, Transpose transpose_a, Transpose transpose_b, float alpha, Matrices<const float> a,
          Matrices<const float> b, float beta, Matrices<float> c) {
  GemmGroup single(device);
  single.add(transpose_a, transpose_b, alpha, a, b, beta, c);
  single.run();
}

}  // namespace cambium
