#include "base/durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace cambium {

DurableFile::DurableFile(std::filesystem::path file) : file_(std::move(file)), aside_(file_.string() + ".part") {
  descriptor_ = open(aside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("opened for writing");
}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(aside_.c_str());
}

void DurableFile::fail(const char* doing) const {
  throw_input_error("{}: cannot be {}: {}. Make room, or choose another folder.", file_.string(), doing,
                    std::strerror(errno));
}

void DurableFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("written");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void DurableFile::commit() {
  if (fsync(descriptor_) != 0) fail("brought to the disk");
  if (rename(aside_.c_str(), file_.c_str()) != 0) fail("renamed into place");
  close(descriptor_);
  descriptor_ = -1;
  // The name, too.
  const auto folder = file_.has_parent_path() ? file_.parent_path() : std::filesystem::path(".");
  const int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  fsync(directory);
  close(directory);
}

void DurableFile::write(const std::filesystem::path& file, std::string_view text) {
  DurableFile out(file);
  out.write(std::as_bytes(std::span(text)));
  out.commit();
}

}  // namespace cambium
