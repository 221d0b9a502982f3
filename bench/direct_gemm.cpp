#include "bench/direct_gemm.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/error.hpp"

namespace cambium::bench {

DirectGemm::DirectGemm(bool wanted) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "cambium-direct-gemm";
  if (!wanted || !std::filesystem::exists(program, ignored)) return;
  int request[2], answer[2];
  if (pipe(request) != 0 || pipe(answer) != 0) return;
  child_ = fork();
  if (child_ == 0) {
    dup2(request[0], STDIN_FILENO);
    dup2(answer[1], STDOUT_FILENO);
    for (const int end : {request[0], request[1], answer[0], answer[1]}) close(end);
    execl(program.c_str(), program.c_str(), nullptr);
    _exit(127);
  }
  close(request[0]);
  close(answer[1]);
  to_child_ = request[1];
  from_child_ = answer[0];
}

DirectGemm::~DirectGemm() {
  if (child_ <= 0) return;
  close(to_child_);  // The end of its input ends the process.
  close(from_child_);
  waitpid(child_, nullptr, 0);
}

void DirectGemm::run(const DirectGemmRequest::Shape& shape, int calls) {
  const DirectGemmRequest request{shape, calls};
  char done = 0;
  if (write(to_child_, &request, sizeof request) != sizeof request || read(from_child_, &done, 1) != 1)
    throw_device_error("cambium-direct-gemm ended in the middle of the benchmark");
}

}  // namespace cambium::bench
