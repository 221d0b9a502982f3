#include "lab/sweep/cell_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"

namespace cambium {
namespace {

ChildProcess start(const Cell& cell, const SweepFolder& folder, const FileLock& lock,
                   const std::vector<std::string>& flags) {
  std::vector<std::string> words{own_program().string(), "train", "--out", folder.cell(cell.name).string()};
  for (const auto& [key, value] : cell.keys) {
    std::string flag = "--" + key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    words.push_back(fmt::format("{}={}", flag, value));
  }
  words.insert(words.end(), flags.begin(), flags.end());
  const auto log = open_file(folder.log(cell.name), O_WRONLY | O_CREAT | O_APPEND);
  return ChildProcess::start(words, {.output = log.get(), .errors = log.get(), .inherited = {lock.descriptor()}});
}

}  // namespace

CellProcess::CellProcess(const Cell& cell, const SweepFolder& folder, FileLock lock,
                         const std::vector<std::string>& flags)
    : lock_(std::move(lock)), process_(start(cell, folder, lock_, flags)) {}

void CellProcess::ask_to_stop() const { process_.send(SIGTERM); }

bool was_stopped(const ChildProcess::End& end) {
  return end.signal == SIGKILL || end.signal == SIGTERM || end.exit_code == exit_interrupted;
}

}  // namespace cambium
