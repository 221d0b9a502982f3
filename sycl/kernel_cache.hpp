// Built kernels on disk, one file per unit and device, named by a hash of everything that went into it.
//
// Any number of processes may read and write the same folder: entries are written aside and renamed into place. An
// entry that does not check out (cut short, altered, of another format) is treated as absent and written anew. Entries
// that nobody has read for two months are removed when a new one is written. A folder that cannot be written to costs
// time, never the run.
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
