// A journal is a file of lines that a run appends to. A checkpoint stores its length, and a resumed run cuts it back to
// that length.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/unique_fd.hpp"

namespace cambium {

class Journal {
 public:
  // The header becomes the first line of a new file, together with the first line that is appended.
  explicit Journal(std::filesystem::path file, std::string header = {});

  std::string name() const { return file_.filename().string(); }

  // Cuts the file back to its first `bytes`. Throws InputError if it is shorter.
  void rewind(std::uint64_t bytes);
  void append(const std::string& lines);
  // Syncs all lines to the disk; call it before a checkpoint stores bytes().
  void sync() const;
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::filesystem::path file_;
  std::string header_;
  UniqueFd descriptor_;  // opened by the first append
  std::uint64_t bytes_ = 0;
};

// Appends a line to a file that no checkpoint refers to.
void append_line(const std::filesystem::path& file, const std::string& line);

}  // namespace cambium
