// Files as they lie on the disk, plain, gzip or xz, alone or inside a tar archive, unpacked into memory.
//
// Whatever a file says about its own size, no more than `limit` bytes are unpacked from it. The checksums of gzip and
// xz are checked; a file that is damaged, cut short or larger than the limit is refused.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "streams/data/data_file.hpp"

namespace cambium {

DataFile read_data_file(const std::filesystem::path& file, const std::string& data_set, std::size_t limit);

struct Member {
  std::string name;  // without folders
  std::size_t limit = 0;
};

// The wanted members, in the order in which they were asked for, from one pass through the archive.
std::vector<DataFile> read_members(const std::filesystem::path& archive, const std::string& data_set,
                                   const std::vector<Member>& wanted);

}  // namespace cambium
