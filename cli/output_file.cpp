#include "cli/output_file.hpp"

#include <filesystem>
#include <utility>

#include "sycl/error.hpp"

namespace cambium::cli {

OutputFile::OutputFile(std::string file) : file_(std::move(file)) {
  if (file_.empty()) return;
  stream_.open(file_ + ".part", std::ios::binary);
  check(stream_.good() && !std::filesystem::is_directory(file_));
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_ + ".part", ignored);  // gone already if it was written
}

void OutputFile::write(const std::string& text) {
  if (file_.empty()) return;
  stream_ << text;
  stream_.close();
  std::error_code error;
  if (stream_) std::filesystem::rename(file_ + ".part", file_, error);
  check(stream_ && !error);
}

void OutputFile::check(bool good) const {
  if (!good) throw_input_error("{}: cannot be written; check that its folder exists and has room", file_);
}

}  // namespace cambium::cli
