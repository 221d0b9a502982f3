#include "cli/output_file.hpp"

#include "base/error.hpp"

namespace cambium::cli {

OutputFile::OutputFile(const std::string& file) {
  if (file.empty()) return;
  if (std::filesystem::is_directory(file)) throw_input_error("{}: this is a folder; name a file in it", file);
  file_.emplace(file);
}

void OutputFile::write(const std::string& text) {
  if (!file_) return;
  file_->write(std::as_bytes(std::span(text)));
  file_->commit();
}

}  // namespace cambium::cli
