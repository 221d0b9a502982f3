// Files for tests: a folder that vanishes, packed bytes, tar archives, and the formats of the data sets in small.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "streams/data_file.hpp"

using Bytes = std::vector<std::uint8_t>;

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Makes the folders that are missing.
void write_file(const std::filesystem::path& file, const Bytes& bytes);
Bytes read_whole(const std::filesystem::path& file);

enum class Packing { none, gzip, xz };
Bytes packed(const Bytes& bytes, Packing packing);
Bytes tar(const std::vector<std::pair<std::string, Bytes>>& members, Packing packing);

// `count` bytes that do not repeat soon and do not compress well.
Bytes noise(std::size_t count, std::uint32_t seed = 1);

Bytes idx(const std::vector<std::uint32_t>& shape, const Bytes& values);

// A file as the readers get it.
cambium::DataFile as_data_file(Bytes bytes, const std::string& name = "file");

// The message of the InputError that `action` throws; a failed test when it throws none.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const cambium::InputError& error) {
    return error.what();
  }
  return "(nothing was refused)";
}
