// Locks between processes: a file that one process at a time has locked. The kernel releases the lock when the process
// ends, however it ends.
#pragma once

#include <filesystem>
#include <optional>

#include "base/unique_fd.hpp"

namespace cambium {

class FileLock {
 public:
  // Creates the file if needed. None if another process holds the lock, or has just removed the file.
  static std::optional<FileLock> try_lock(const std::filesystem::path& file);
  // Blocks; for short critical sections.
  static FileLock wait(const std::filesystem::path& file);

  // A child process that inherits this descriptor holds the lock, too.
  int descriptor() const { return descriptor_.get(); }

 private:
  explicit FileLock(UniqueFd descriptor) : descriptor_(std::move(descriptor)) {}

  UniqueFd descriptor_;
};

// Locks an open file; it must be open for writing, which some network file systems need. False if another process holds
// the lock, or if the file has lost its name. `file` is for messages.
bool try_lock(const UniqueFd& descriptor, const std::filesystem::path& file);

}  // namespace cambium
