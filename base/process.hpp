// Child processes: a command that runs to its end, and a child that runs beside its parent. No shell is involved.
//
// Every child has a process group of its own, so Ctrl-C reaches only the parent.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/unique_fd.hpp"

namespace cambium {

// The program to start does not exist.
struct ProgramNotFound : EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

struct CommandOptions {
  std::string input = {};             // what the command reads from its standard input
  std::filesystem::path folder = {};  // its working directory; empty: that of the parent
  bool ends_with_parent = false;
};

struct CommandResult {
  int exit_code = 0;  // 128 + N if signal N ended the command
  std::string output, errors;
};

// `words`: a program on the PATH, or its path, and its arguments. Throws ProgramNotFound, or EnvironmentError if the
// command cannot be started.
CommandResult run_command(const std::vector<std::string>& words, const CommandOptions& options = {});

struct ChildOptions {
  int input = -1;                     // descriptor of its standard input; -1: /dev/null
  int output = -1, errors = -1;       // descriptors; -1: those of the parent
  std::vector<int> inherited = {};    // other descriptors that stay open in the child
  std::filesystem::path folder = {};  // its working directory; empty: that of the parent
  bool ends_with_parent = true;       // the child gets SIGTERM when the thread that started it ends
};

class ChildProcess {
 public:
  struct End {
    int exit_code = 0;
    int signal = 0;  // that ended the process; 0 if it exited
  };

  // Starts a program; the errors are those of run_command().
  static ChildProcess start(const std::vector<std::string>& words, const ChildOptions& options);
  // Runs a function in a copy of this process, with its result as the exit code; 1 if it throws. The copy has only the
  // calling thread.
  static ChildProcess start(const std::function<int()>& work, const ChildOptions& options);

  ~ChildProcess();  // kills the process if it still runs
  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;

  std::optional<End> poll();  // none while the process runs; returns the end once
  End wait();
  void send(int signal) const;

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;  // -1 after the end was returned
};

// Blocks until a child of this process has ended; poll() of that child then returns its end.
void wait_for_any_child();

struct Pipe {
  UniqueFd read, write;
};
Pipe make_pipe();

// The path of the running program.
std::filesystem::path own_program();

// An argument of a command, quoted for a shell where necessary.
std::string shell_word(const std::string& text);

}  // namespace cambium
