#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace cambium {
namespace {

const char* remedy(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "Free space there, or choose another folder.";
    case EFBIG:
      return "Raise the limit on the size of files (ulimit -f), or choose another file system.";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Change the permissions, or choose another folder.";
    case EMFILE:
    case ENFILE:
      return "Raise the limit on open files (ulimit -n).";
    case ENOMEM:
      return "Free memory, or use a machine with more.";
    case EIO:
      return "Check the disk, or choose another folder.";
    default:
      return "Check the path and the disk.";
  }
}

// Whether the path cannot be right on any disk.
bool is_wrong_path(int error) {
  return error == ENOENT || error == ENOTDIR || error == EISDIR || error == EEXIST || error == ENAMETOOLONG ||
         error == ELOOP;
}

}  // namespace

void throw_file_error(const std::filesystem::path& file, std::string_view action, int error) {
  if (is_wrong_path(error))
    throw_input_error("{}: cannot be {}: {}. Check the path.", file.string(), action, std::strerror(error));
  throw_environment_error("{}: cannot be {}: {}. {}", file.string(), action, std::strerror(error), remedy(error));
}

UniqueFd open_file(const std::filesystem::path& file, int flags) {
  int descriptor = -1;
  do {
    descriptor = open(file.c_str(), flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) throw_file_error(file, (flags & O_ACCMODE) == O_RDONLY ? "read" : "opened for writing", errno);
  return UniqueFd(descriptor);
}

void write_all(const UniqueFd& descriptor, std::span<const std::byte> bytes, const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_file_error(file, "written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

std::string read_all(const UniqueFd& descriptor, const std::filesystem::path& file) {
  if (lseek(descriptor.get(), 0, SEEK_SET) < 0 && errno != ESPIPE) throw_file_error(file, "read", errno);
  std::string text;
  char part[16384];
  for (;;) {
    const ssize_t count = read(descriptor.get(), part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_file_error(file, "read", errno);
    if (count == 0) return text;
    text.append(part, static_cast<std::size_t>(count));
  }
}

void write_file(const std::filesystem::path& file, std::string_view text) {
  const auto descriptor = open_file(file, O_WRONLY | O_CREAT | O_TRUNC);
  write_all(descriptor, std::as_bytes(std::span(text)), file);
}

void sync_file(const UniqueFd& descriptor, const std::filesystem::path& file) {
  while (fsync(descriptor.get()) != 0)
    if (errno != EINTR) throw_file_error(file, "synced to the disk", errno);
}

void sync_folder(const std::filesystem::path& folder) {
  const auto descriptor = open_file(folder, O_RDONLY | O_DIRECTORY);
  while (fsync(descriptor.get()) != 0) {
    if (errno == EINVAL) return;  // This file system does not sync folders.
    if (errno != EINTR) throw_file_error(folder, "synced to the disk", errno);
  }
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

bool make_folder(const std::filesystem::path& folder) {
  if (!folder.has_filename() && folder.has_relative_path()) return make_folder(folder.parent_path());  // "results/"
  std::error_code unknown;
  if (std::filesystem::is_directory(folder, unknown)) return false;
  if (!folder.has_filename()) throw_file_error(folder, "made a folder", ENOENT);
  const auto parent = folder_of(folder);
  make_folder(parent);
  if (mkdir(folder.c_str(), 0777) != 0) {
    const int error = errno;
    if (error == EEXIST && std::filesystem::is_directory(folder, unknown)) return false;  // Another process made it.
    throw_file_error(folder, "made a folder", error);
  }
  sync_folder(parent);
  return true;
}

}  // namespace cambium
