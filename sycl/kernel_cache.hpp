// Built kernels on disk: one file per unit and device, named by a hash of all inputs of the build.
//
// Any number of processes may read and write the same folder: entries are written to a temporary file and renamed. A
// damaged entry (cut short, altered, of another format) is treated as absent and rebuilt. Entries that no process has
// read for two months are removed when a new one is written. If the folder cannot be written to, kernels are built for
// each run, and the run goes on.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cambium {

class KernelCache {
 public:
  explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::optional<std::vector<unsigned char>> load(const std::string& key) const;
  void store(const std::string& key, std::span<const unsigned char> binary) const;
  std::filesystem::path entry(const std::string& key) const { return folder_ / (key + ".kernel"); }

 private:
  void remove_old_entries() const;

  std::filesystem::path folder_;
};

}  // namespace cambium
