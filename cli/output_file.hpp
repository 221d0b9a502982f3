// A file for results: opened before the work, written after it, complete or absent.
#pragma once

#include <optional>
#include <string>

#include "base/durable_file.hpp"

namespace cambium::cli {

// Opens the file at construction, so that a wrong name is refused before the work. An empty name means no file.
class OutputFile {
 public:
  explicit OutputFile(const std::string& file);

  void write(const std::string& text);

 private:
  std::optional<DurableFile> file_;
};

}  // namespace cambium::cli
