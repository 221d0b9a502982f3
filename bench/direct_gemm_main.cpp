// cambium-direct-gemm: computes matrix products with multi-threaded oneMKL on request; see direct_gemm.hpp.

#include <mkl_cblas.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "bench/direct_gemm.hpp"

int main() {
  using cambium::bench::DirectGemmRequest;
  DirectGemmRequest request;
  std::vector<float> a, b, c;
  while (read(STDIN_FILENO, &request, sizeof request) == sizeof request) {
    const auto& s = request.shape;
    const auto size = [&](int rows, int columns) { return static_cast<std::size_t>(s.replicas) * rows * columns; };
    a.resize(size(s.m, s.k));
    b.resize(size(s.k, s.n));
    c.resize(size(s.m, s.n));
    for (int call = 0; call < request.calls; ++call)
      for (int r = 0; r < s.replicas; ++r)
        cblas_sgemm(CblasRowMajor, s.transpose_a ? CblasTrans : CblasNoTrans, s.transpose_b ? CblasTrans : CblasNoTrans,
                    s.m, s.n, s.k, 1.0f, a.data() + static_cast<std::size_t>(r) * s.m * s.k, s.transpose_a ? s.m : s.k,
                    b.data() + static_cast<std::size_t>(r) * s.k * s.n, s.transpose_b ? s.k : s.n, 0.0f,
                    c.data() + static_cast<std::size_t>(r) * s.m * s.n, s.n);
    if (write(STDOUT_FILENO, "d", 1) != 1) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
