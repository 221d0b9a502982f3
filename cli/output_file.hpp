// Results on disk: named before the work, written after it, never half there.
#pragma once

#include <fstream>
#include <string>

namespace cambium::cli {

// A file for results, opened before the work that they come from, so that a wrong name costs no time. The text is
// written beside it and renamed into place: the file is never half written. An empty name stands for no file.
class OutputFile {
 public:
  explicit OutputFile(std::string file);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;

  void write(const std::string& text);

 private:
  void check(bool good) const;

  std::string file_;
  std::ofstream stream_;
};

}  // namespace cambium::cli
