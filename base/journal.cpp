#include "base/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/file.hpp"

namespace cambium {

Journal::Journal(std::filesystem::path file, std::string header) : file_(std::move(file)), header_(std::move(header)) {}

void Journal::rewind(std::uint64_t bytes) {
  std::error_code error;
  const bool exists = std::filesystem::exists(file_, error);
  const auto size = exists ? std::filesystem::file_size(file_, error) : 0;
  if (error) throw_file_error(file_, "read", error.value());
  if (size < bytes)
    throw_input_error(
        "{}: the file has {} bytes, but had {} at the last checkpoint; lines were lost. Start the run again in another "
        "folder.",
        file_.string(), size, bytes);
  if (size > bytes && truncate(file_.c_str(), static_cast<off_t>(bytes)) != 0)
    throw_file_error(file_, "cut back", errno);
  bytes_ = bytes;
}

void Journal::append(const std::string& lines) {
  if (!descriptor_) descriptor_ = open_file(file_, O_WRONLY | O_CREAT | O_APPEND);
  const auto text = bytes_ == 0 ? header_ + lines : lines;
  write_all(descriptor_, std::as_bytes(std::span(text)), file_);
  bytes_ += text.size();
}

void Journal::sync() const {
  if (!descriptor_) return;  // All lines were synced before the checkpoint that this run resumed from.
  sync_file(descriptor_, file_);
  sync_folder(folder_of(file_));
}

void append_line(const std::filesystem::path& file, const std::string& line) {
  const auto text = line + "\n";
  write_all(open_file(file, O_WRONLY | O_CREAT | O_APPEND), std::as_bytes(std::span(text)), file);
}

}  // namespace cambium
