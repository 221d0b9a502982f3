#include "lab/sweep/cell_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace cambium {

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

CellProcess::CellProcess(const Cell& cell, const SweepFolder& folder, SweepLock lock,
                         const std::vector<std::string>& flags)
    : lock_(std::move(lock)) {
  std::vector<std::string> words{own_program().string(), "train", "--out", folder.cell(cell.name).string()};
  for (const auto& [key, value] : cell.keys) {
    std::string flag = "--" + key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    words.push_back(fmt::format("{}={}", flag, value));
  }
  words.insert(words.end(), flags.begin(), flags.end());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const auto log = folder.log(cell.name);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out < 0) throw_input_error("{}: cannot be opened for writing: {}", log.string(), std::strerror(errno));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    close(out);
    throw_device_error("no process can be started: {}", std::strerror(errno));
  }
  if (pid_ > 0) {
    close(out);
    return;
  }
  // In the child, where only system calls are allowed. Its own process group keeps Ctrl-C from it: the sweep gets the
  // signal and asks its children to stop.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(exit_interrupted);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  fcntl(lock_.descriptor(), F_SETFD, 0);  // The child holds the lock until it ends.
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  execv(arguments[0], arguments.data());
  _exit(127);
}

CellProcess::CellProcess(CellProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), lock_(std::move(other.lock_)) {}

CellProcess::~CellProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool CellProcess::End::stopped() const {
  return signal == SIGKILL || signal == SIGTERM || exit_code == exit_interrupted;
}

std::optional<CellProcess::End> CellProcess::ended() {
  int status = 0;
  if (pid_ < 0 || waitpid(pid_, &status, WNOHANG) != pid_) return {};
  pid_ = -1;
  if (WIFSIGNALED(status)) return End{0, WTERMSIG(status)};
  return End{WEXITSTATUS(status), 0};
}

void CellProcess::ask_to_stop() const { kill(pid_, SIGTERM); }

}  // namespace cambium
