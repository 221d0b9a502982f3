#include "tests/run_program.hpp"

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

}  // namespace

Ended run_program(const std::string& command) {
  const auto base = std::filesystem::temp_directory_path() / ("cambium-process-" + std::to_string(getpid()));
  const std::string out = base.string() + ".out", err = base.string() + ".err";
  const int status = std::system(("( " + command + " ) >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_and_remove(out), read_and_remove(err)};
}
