#include "base/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"

namespace cambium {
namespace {

void append_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  stream << text;
  stream.close();
  if (!stream)
    throw_input_error("{}: cannot be written: {}. Make room, or choose another folder.", file.string(),
                      std::strerror(errno));
}

}  // namespace

Journal::Journal(std::filesystem::path file, std::string header) : file_(std::move(file)), header_(std::move(header)) {}

void Journal::rewind(std::uint64_t bytes) {
  std::error_code error;
  const auto size = std::filesystem::exists(file_) ? std::filesystem::file_size(file_) : 0;
  if (size < bytes)
    throw_input_error(
        "{}: it has {} bytes, and {} at the last checkpoint; lines were lost. Start again in another folder.",
        file_.string(), size, bytes);
  if (size > bytes) std::filesystem::resize_file(file_, bytes, error);
  if (error) throw_input_error("{}: cannot be written: {}", file_.string(), error.message());
  bytes_ = bytes;
}

void Journal::append(const std::string& lines) {
  const auto text = bytes_ == 0 ? header_ + lines : lines;
  append_text(file_, text);
  bytes_ += text.size();
}

void Journal::sync() const {
  const int file = open(file_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return;  // no line yet
  fsync(file);
  close(file);
}

void append_line(const std::filesystem::path& file, const std::string& line) { append_text(file, line + "\n"); }

}  // namespace cambium
