// A file that replaces an older one as a whole: it is written under a temporary name, synced to the disk, and renamed.
// After a crash or a failed write, the file has either its old or its new content.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/unique_fd.hpp"

namespace cambium {

// Every function throws what base/file.hpp says. The temporary name is that of the file with ".part".
class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path file);
  ~DurableFile();  // discards what was written, unless commit() succeeded
  DurableFile(const DurableFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void commit();

  // Opens, writes and commits.
  static void write(const std::filesystem::path& file, std::string_view text);

 private:
  std::filesystem::path file_, temporary_;
  UniqueFd descriptor_;
};

}  // namespace cambium
