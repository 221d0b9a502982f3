// A file that is written aside, brought to the disk, and then renamed into place: whatever happens, the old one or the
// new one is there, whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace cambium {

class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path file);
  ~DurableFile();  // without commit(), nothing has happened
  DurableFile(const DurableFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void commit();

  // All of it in one go.
  static void write(const std::filesystem::path& file, std::string_view text);

 private:
  [[noreturn]] void fail(const char* doing) const;

  std::filesystem::path file_;
  std::string aside_;
  int descriptor_ = -1;
};

}  // namespace cambium
