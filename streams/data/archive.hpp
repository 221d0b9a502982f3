// Unpacks files into memory: plain, gzip or xz, alone or inside a tar archive.
//
// At most `limit` bytes of a file are unpacked, whatever size it claims to have. The checksums of gzip and xz are
// checked; a file that is damaged, cut short or larger than the limit is refused.
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

// Returns the wanted members in the order of `wanted`; reads the archive once.
std::vector<DataFile> read_members(const std::filesystem::path& archive, const std::string& data_set,
                                   const std::vector<Member>& wanted);

}  // namespace cambium
