// A process that calls cblas_sgemm of multi-threaded oneMKL and nothing else: the reference for the native backend.
//
// It is a separate process because a program can contain only one of oneMKL's threading layers, and Cambium contains
// the sequential one. Between requests it waits on a pipe and uses no processor time.
#pragma once

#include <optional>

#include "base/process.hpp"

namespace cambium::bench {

// A request to the process: one product and the number of its repetitions. The process answers with one byte when done.
struct DirectGemmRequest {
  struct Shape {
    bool transpose_a, transpose_b;
    int m, n, k, replicas;
  } shape;
  int calls;
};

class DirectGemm {
 public:
  // Starts the program cambium-direct-gemm that lies beside this one; without it, or if not `wanted`, not available().
  explicit DirectGemm(bool wanted);
  ~DirectGemm();  // ends the process

  bool available() const { return child_.has_value(); }
  void run(const DirectGemmRequest::Shape& shape, int calls);

 private:
  UniqueFd to_child_, from_child_;
  std::optional<ChildProcess> child_;
};

}  // namespace cambium::bench
