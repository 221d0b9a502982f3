#include "tests/run_program.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

std::string read_and_remove(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  std::filesystem::remove(file);
  return text;
}

// A name for files of this process that was not given before.
std::string new_name() {
  static int next = 0;
  const auto name = "cambium-process-" + std::to_string(getpid()) + "-" + std::to_string(next++);
  return (std::filesystem::temp_directory_path() / name).string();
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

Ended run_program(const std::string& command) {
  const auto base = new_name();
  const std::string out = base + ".out", err = base + ".err";
  const int status = std::system(("( " + command + " ) >" + out + " 2>" + err).c_str());
  return {exit_code(status), read_and_remove(out), read_and_remove(err)};
}

StartedProgram::StartedProgram(const std::string& command) {
  const auto base = new_name();
  output_ = base + ".out", errors_ = base + ".err";
  const std::string line = "exec " + command + " >" + output_ + " 2>" + errors_;
  pid_ = fork();
  if (pid_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // A test that is killed leaves nothing behind.
  execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
  _exit(127);
}

StartedProgram::~StartedProgram() {
  signal(SIGKILL);
  wait();
}

void StartedProgram::signal(int number) const {
  if (running_) kill(pid_, number);
}

bool StartedProgram::running() {
  if (running_ && waitpid(pid_, &status_, WNOHANG) == pid_) running_ = false;
  return running_;
}

Ended StartedProgram::wait() {
  if (running_) waitpid(pid_, &status_, 0);
  running_ = false;
  return {exit_code(status_), read_and_remove(output_), read_and_remove(errors_)};
}
