#include "bench/direct_gemm.hpp"

#include <unistd.h>

namespace cambium::bench {

DirectGemm::DirectGemm(bool wanted) {
  const auto program = own_program().parent_path() / "cambium-direct-gemm";
  if (std::error_code ignored; !wanted || !std::filesystem::exists(program, ignored)) return;
  auto request = make_pipe(), answer = make_pipe();
  child_.emplace(ChildProcess::start({program.string()}, {.input = request.read.get(), .output = answer.write.get()}));
  to_child_ = std::move(request.write);
  from_child_ = std::move(answer.read);
}

DirectGemm::~DirectGemm() {
  if (!child_) return;
  to_child_.reset();  // The end of its input ends the process.
  from_child_.reset();
  try {
    child_->wait();
  } catch (const EnvironmentError&) {  // Then its end is of no interest.
  }
}

void DirectGemm::run(const DirectGemmRequest::Shape& shape, int calls) {
  const DirectGemmRequest request{shape, calls};
  char done = 0;
  if (write(to_child_.get(), &request, sizeof request) != sizeof request || read(from_child_.get(), &done, 1) != 1)
    throw_device_error("cambium-direct-gemm ended during the benchmark; its own message is above");
}

}  // namespace cambium::bench
