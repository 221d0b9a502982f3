// Files for tests: a folder that vanishes, packed bytes, tar archives, and the formats of the data sets in small.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "streams/data/data_file.hpp"

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

// A batch of images of 3 x 32 x 32 as Python pickles it. What is left as it is here makes a good one.
struct MadeBatch {
  std::vector<std::uint16_t> labels{3, 9};
  std::string key = "labels";
  Bytes pixels = noise(2 * 3072);
  std::uint32_t count = 2, width = 3072;
  std::string element = "u1", by_columns = "\x89", function = "cnumpy.core.multiarray\n_reconstruct\n";
  bool mean = false;  // the mean of all images too, as ImageNet has it

  std::string text() const;
  Bytes bytes() const;
};

// A file of NumPy, of version 1.0.
Bytes npy_with_header(const std::string& header, const Bytes& values);
// An array of bytes, or of another type.
Bytes npy(const std::vector<std::size_t>& shape, const Bytes& values, const std::string& type = "|u1");

// A file as the readers get it.
cambium::DataFile as_data_file(Bytes bytes, const std::string& name = "file", const std::string& data_set = "mnist");

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
