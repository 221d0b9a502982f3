// Results on disk: named before the work, written after it, never half there.
#pragma once

#include <optional>
#include <string>

#include "base/durable_file.hpp"

namespace cambium::cli {

// A file for results, opened before the work that they come from, so that a wrong name costs no time. An empty name
// stands for no file.
class OutputFile {
 public:
  explicit OutputFile(const std::string& file);

  void write(const std::string& text);

 private:
  std::optional<DurableFile> file_;
};

}  // namespace cambium::cli
