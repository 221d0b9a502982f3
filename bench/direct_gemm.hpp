// A process that calls cblas_sgemm of multi-threaded oneMKL and nothing else, to measure the native backend against.
//
// It is a process of its own because a program can hold only one of oneMKL's threading layers, and Cambium's is the
// sequential one. It waits on a pipe between its turns, using no processor time.
#pragma once

#include <optional>

#include "base/process.hpp"

namespace cambium::bench {

// What is written to the process: one product, and how often to make it. It answers with one byte when done.
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
