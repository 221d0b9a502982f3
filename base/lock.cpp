#include "base/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file.hpp"

namespace cambium {
namespace {

bool lock(const UniqueFd& descriptor, int how, const std::filesystem::path& file) {
  while (flock(descriptor.get(), how) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw_file_error(file, "locked", errno);
  }
  // A process that removes the file holds its lock until then; whoever locks it afterwards locks nothing.
  struct stat status {};
  if (fstat(descriptor.get(), &status) != 0) throw_file_error(file, "locked", errno);
  return status.st_nlink > 0;
}

UniqueFd open_lock(const std::filesystem::path& file) { return open_file(file, O_RDWR | O_CREAT); }

}  // namespace

bool try_lock(const UniqueFd& descriptor, const std::filesystem::path& file) {
  return lock(descriptor, LOCK_EX | LOCK_NB, file);
}

std::optional<FileLock> FileLock::try_lock(const std::filesystem::path& file) {
  auto descriptor = open_lock(file);
  if (!cambium::try_lock(descriptor, file)) return {};
  return FileLock(std::move(descriptor));
}

FileLock FileLock::wait(const std::filesystem::path& file) {
  for (;;) {
    auto descriptor = open_lock(file);
    if (lock(descriptor, LOCK_EX, file)) return FileLock(std::move(descriptor));
  }
}

}  // namespace cambium
