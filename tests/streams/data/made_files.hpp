// Files for tests: a temporary folder, packed bytes, tar archives, and small files in the formats of the data sets.
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

// Also makes missing folders.
void write_file(const std::filesystem::path& file, const Bytes& bytes);
Bytes read_whole(const std::filesystem::path& file);

enum class Packing { none, gzip, xz };
Bytes packed(const Bytes& bytes, Packing packing);
Bytes tar(const std::vector<std::pair<std::string, Bytes>>& members, Packing packing);

// Returns `count` pseudo-random bytes, which do not compress well.
Bytes noise(std::size_t count, std::uint32_t seed = 1);

Bytes idx(const std::vector<std::uint32_t>& shape, const Bytes& values);

// A pickled batch of images of 3 x 32 x 32. The defaults make a valid one.
struct MadeBatch {
  std::vector<std::uint16_t> labels{3, 9};
  std::string key = "labels";
  Bytes pixels = noise(2 * 3072);
  std::uint32_t count = 2, width = 3072;
  std::string element = "u1", by_columns = "\x89", function = "cnumpy.core.multiarray\n_reconstruct\n";
  bool mean = false;  // whether it has the mean of all images, like ImageNet

  std::string text() const;
  Bytes bytes() const;
};

// A NumPy file of version 1.0.
Bytes npy_with_header(const std::string& header, const Bytes& values);
// A NumPy file with an array.
Bytes npy(const std::vector<std::size_t>& shape, const Bytes& values, const std::string& type = "|u1");

// Wraps bytes for a reader.
cambium::DataFile as_data_file(Bytes bytes, const std::string& name = "file", const std::string& data_set = "mnist");

// Returns the message of the InputError that `action` throws.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const cambium::InputError& error) {
    return error.what();
  }
  return "(nothing was refused)";
}
