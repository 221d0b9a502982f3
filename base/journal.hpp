// A journal: a file of lines that a run appends as things happen, and whose length its checkpoints know.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace cambium {

class Journal {
 public:
  Journal(std::filesystem::path file, std::string header = {});

  std::string name() const { return file_.filename().string(); }

  // Cuts the file back to its first `bytes`, what a checkpoint knew of. Throws InputError when it is shorter.
  void rewind(std::uint64_t bytes);
  void append(const std::string& lines);  // the header before the first
  void sync() const;                      // to the disk, before a checkpoint counts on it
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::filesystem::path file_;
  std::string header_;
  std::uint64_t bytes_ = 0;
};

// Appends to a file that no checkpoint knows of.
void append_line(const std::filesystem::path& file, const std::string& line);

}  // namespace cambium
