#include "base/process.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/error.hpp"

namespace cambium {
namespace {

// A file in memory: unlike a pipe it never makes either side wait, however much is written.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("command", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw_device_error("no file can be made in memory: {}", std::strerror(errno));
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  void fill(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(descriptor_, text.data() + done, text.size() - done);
      if (written < 0) throw_device_error("a file in memory cannot be written: {}", std::strerror(errno));
      done += static_cast<std::size_t>(written);
    }
    lseek(descriptor_, 0, SEEK_SET);
  }

  std::string text() const {
    lseek(descriptor_, 0, SEEK_SET);
    std::string all;
    char part[4096];
    for (ssize_t count = 0; (count = read(descriptor_, part, sizeof part)) > 0;)
      all.append(part, static_cast<std::size_t>(count));
    return all;
  }

 private:
  int descriptor_;
};

}  // namespace

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-._/+=,:").find(c) != std::string::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

CommandEnd run_command(std::vector<std::string> words, const std::string& input) {
  const MemoryFile in, out, err;
  in.fill(input);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.descriptor(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error == ENOENT) throw_input_error("{}: there is no such program on the PATH", words[0]);
  if (error != 0) throw_device_error("{}: cannot be started: {}", words[0], std::strerror(error));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), err.text()};
}

}  // namespace cambium
