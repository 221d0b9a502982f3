#include "base/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.hpp"

namespace cambium {

DurableFile::DurableFile(std::filesystem::path file) : file_(std::move(file)), temporary_(file_.string() + ".part") {
  // Opened under the name that messages should have.
  descriptor_.reset(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!descriptor_) throw_file_error(file_, "opened for writing", errno);
}

DurableFile::~DurableFile() {
  if (descriptor_) unlink(temporary_.c_str());
}

void DurableFile::write(std::span<const std::byte> bytes) { write_all(descriptor_, bytes, file_); }

void DurableFile::commit() {
  sync_file(descriptor_, file_);
  if (rename(temporary_.c_str(), file_.c_str()) != 0) throw_file_error(file_, "renamed into place", errno);
  descriptor_.reset();
  sync_folder(folder_of(file_));
}

void DurableFile::write(const std::filesystem::path& file, std::string_view text) {
  DurableFile out(file);
  out.write(std::as_bytes(std::span(text)));
  out.commit();
}

}  // namespace cambium
