// The folder of one run, and what is in it:
//
//   config.toml             the complete configuration, written first
//   metrics.jsonl           a line per epoch, appended as it happens
//   checkpoint.safetensors  everything needed to go on
//   result.json             written last: its presence means done
//   sessions.jsonl          when and where the run was worked on, and how fast; the only file with times in it
//
// All but the last are functions of the configuration, the device and the build: a run that was interrupted ends with
// the same bytes as one that was not.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/config.hpp"

namespace cambium {

class RunFolder {
 public:
  // Makes the folder, or takes one up again. Throws InputError when another process works in it, when it holds a run
  // with another configuration (naming the keys that differ), or when it holds something else.
  RunFolder(std::filesystem::path path, const RunConfig& config);
  ~RunFolder();  // A folder that was made and never begun is gone again: a start that failed blocks no other.
  RunFolder(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint.safetensors"; }
  std::filesystem::path result() const { return path_ / "result.json"; }

  // Makes it the folder of this run, for good.
  void begin(const RunConfig& config);

  // Cuts metrics.jsonl back to its first `bytes`, what a checkpoint knew of.
  void rewind_metrics(std::uint64_t bytes);
  void append_metrics(const nlohmann::ordered_json& line);
  void sync_metrics() const;  // to the disk, before a checkpoint counts on it
  std::uint64_t metrics_bytes() const { return metrics_bytes_; }

  void append_session(const nlohmann::ordered_json& line) const;
  void write_result(const nlohmann::ordered_json& result) const;

 private:
  void check_what_is_there(const RunConfig& config) const;

  std::filesystem::path path_;
  int lock_ = -1;
  bool made_ = false, begun_ = false;
  std::uint64_t metrics_bytes_ = 0;
};

}  // namespace cambium
