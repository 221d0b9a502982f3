// Files and folders, by system calls whose results are checked.
//
// An error names the file, the cause and the remedy. It is an InputError where the path itself is wrong (a missing
// folder, a folder in place of a file), and an EnvironmentError otherwise (a full disk, missing permissions).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"

namespace cambium {

// The error for a system call that failed on `file` with this errno. `action` says what failed: "written".
[[noreturn]] void throw_file_error(const std::filesystem::path& file, std::string_view action, int error);

// `flags` are those of open(2). A new file may be read and written by everyone whom the umask lets.
UniqueFd open_file(const std::filesystem::path& file, int flags);

// `file` is the name of the descriptor in messages.
void write_all(const UniqueFd& descriptor, std::span<const std::byte> bytes, const std::filesystem::path& file);
std::string read_all(const UniqueFd& descriptor, const std::filesystem::path& file);  // from its beginning

// Replaces the content of `file`. A crash may leave a part of it; see durable_file.hpp for a write that cannot.
void write_file(const std::filesystem::path& file, std::string_view text);

// Return when the disk has the content of the file, or the names in the folder.
void sync_file(const UniqueFd& descriptor, const std::filesystem::path& file);
void sync_folder(const std::filesystem::path& folder);

// The folder that holds `path`; "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& path);

// Makes the folder and those above it; each of them is on the disk afterwards. Returns false if it was there before.
bool make_folder(const std::filesystem::path& folder);

}  // namespace cambium
