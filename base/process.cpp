#include "base/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/file.hpp"

namespace cambium {
namespace {

// A file in memory: unlike with a pipe, neither side waits for the other, however much is written.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text = {}) : descriptor_(memfd_create("command", MFD_CLOEXEC)) {
    if (!descriptor_) throw_file_error("a file in memory", "created", errno);
    write_all(descriptor_, std::as_bytes(std::span(text)), "a file in memory");
    lseek(descriptor_.get(), 0, SEEK_SET);
  }
  int descriptor() const { return descriptor_.get(); }
  std::string text() const { return read_all(descriptor_, "a file in memory"); }

 private:
  UniqueFd descriptor_;
};

// Blocks all signals of this thread, so that no handler of the parent runs in the child.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { restore(); }
  BlockedSignals(const BlockedSignals&) = delete;
  void restore() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// How the start of a child failed; the child sends it to its parent.
struct StartFailure {
  enum Step { redirect, change_folder, execute } step;
  int error;
};

void reset_handlers() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
  }
}

// Redirects the standard descriptors of the child. Returns false, with errno, if that fails.
bool redirect(const ChildOptions& options) {
  int from[3] = {options.input, options.output, options.errors};
  if (from[0] < 0) from[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (from[0] < 0) return false;
  // Away from 0 to 2 first, so that none is overwritten before it is used.
  for (int& descriptor : from)
    if (descriptor >= 0 && (descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)) < 0) return false;
  for (int target = 0; target < 3; ++target)
    if (from[target] >= 0 && dup2(from[target], target) < 0) return false;
  return std::all_of(options.inherited.begin(), options.inherited.end(),
                     [](int descriptor) { return fcntl(descriptor, F_SETFD, 0) == 0; });
}

// Forks; `run` is called in the child, in which only system calls are safe, and returns only if it failed.
// `name` is what messages call the child.
template <class Run>
pid_t start_child(const ChildOptions& options, const std::string& name, const Run& run) {
  auto failures = make_pipe();
  const pid_t parent = getpid();
  pid_t pid = -1;
  int error = 0;
  {
    const BlockedSignals blocked;
    pid = fork();
    if (pid < 0) error = errno;
    if (pid == 0) {
      const auto fail = [&](StartFailure::Step step) {
        const StartFailure failure{step, errno};
        [[maybe_unused]] const auto sent = write(failures.write.get(), &failure, sizeof failure);
        _exit(127);
      };
      setpgid(0, 0);
      reset_handlers();
      blocked.restore();
      if (options.ends_with_parent) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) _exit(128 + SIGTERM);  // It ended before prctl().
      }
      if (!redirect(options)) fail(StartFailure::redirect);
      if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) fail(StartFailure::change_folder);
      run(failures.write);
      fail(StartFailure::execute);
    }
  }
  if (pid < 0)
    throw_environment_error(
        "{}: no process can be started: {}. Raise the limit on processes (ulimit -u), or free memory.", name,
        std::strerror(error));
  failures.write.reset();
  StartFailure failure{};
  ssize_t count = 0;
  while ((count = read(failures.read.get(), &failure, sizeof failure)) < 0 && errno == EINTR) continue;
  if (count != sizeof failure) return pid;
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) continue;
  if (failure.step == StartFailure::change_folder) throw_file_error(options.folder, "entered", failure.error);
  if (failure.step == StartFailure::execute && failure.error == ENOENT)
    throw ProgramNotFound(fmt::format("{}: there is no such program on the PATH; install it, or correct PATH", name));
  throw_environment_error("{}: cannot be started: {}. Check that it is a program for this machine.", name,
                          std::strerror(failure.error));
}

ChildProcess::End end_of(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

[[noreturn]] void throw_wait_error() {
  throw_environment_error("the end of a child process is unknown: {}. Start Cambium with SIGCHLD not ignored.",
                          std::strerror(errno));
}

}  // namespace

ChildProcess ChildProcess::start(const std::vector<std::string>& words, const ChildOptions& options) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return ChildProcess(start_child(options, words.at(0), [&](UniqueFd&) { execvp(arguments[0], arguments.data()); }));
}

ChildProcess ChildProcess::start(const std::function<int()>& work, const ChildOptions& options) {
  std::fflush(nullptr);  // or the child would write the parent's buffered output again
  return ChildProcess(start_child(options, "cambium", [&](UniqueFd& failures) {
    failures.reset();  // the start has succeeded
    int exit_code = 1;
    try {
      exit_code = work();
    } catch (...) {
    }
    std::fflush(nullptr);
    _exit(exit_code);
  }));
}

ChildProcess::~ChildProcess() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<ChildProcess::End> ChildProcess::poll() {
  if (pid_ < 0) return {};
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended < 0 && errno != EINTR) throw_wait_error();
  if (ended != pid_) return {};
  pid_ = -1;
  return end_of(status);
}

ChildProcess::End ChildProcess::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) throw_wait_error();
  pid_ = -1;
  return end_of(status);
}

void ChildProcess::send(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

void wait_for_any_child() {
  siginfo_t ended{};
  while (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) throw_wait_error();
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_file_error("a pipe", "created", errno);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

CommandResult run_command(const std::vector<std::string>& words, const CommandOptions& options) {
  const MemoryFile input(options.input), output, errors;
  auto child = ChildProcess::start(words, {.input = input.descriptor(),
                                           .output = output.descriptor(),
                                           .errors = errors.descriptor(),
                                           .folder = options.folder,
                                           .ends_with_parent = options.ends_with_parent});
  const auto end = child.wait();
  return {end.signal != 0 ? 128 + end.signal : end.exit_code, output.text(), errors.text()};
}

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::string shell_word(const std::string& text) {
  const auto needs_no_quotes = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-._/+=,:").find(c) != std::string::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), needs_no_quotes)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace cambium
