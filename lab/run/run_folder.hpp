// The folder of one run, and what is in it:
//
//   config.toml             the complete configuration, written first
//   metrics.jsonl           a line per epoch, appended as it happens; epochs.csv: the same as a table, a row per seed
//   events.jsonl            a line per edit, seed and layer: who was chosen, and why
//   cohorts.csv             how newborns and incumbents, or kept and pruned units, fare; parities.csv: what follows
//   tasks.csv, matrix.csv   of a stream: a row per task and seed, and the accuracy on every earlier task
//   online.npy              of a stream: images that were right before every step (and online_ticket.npy)
//   checkpoint.safetensors  everything needed to go on
//   cycles.safetensors      the checkpoint at the end of the cycles, when a ticket is trained after them
//   result.json             written last: its presence means done
//   lock                    locked by the process that is at work on the run; empty
//   sessions.jsonl          when and where the run was worked on, and how fast; the only file with times in it
//
// All but that are functions of the configuration, the device and the build: a run that was interrupted ends with
// the same bytes as one that was not.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/lock.hpp"
#include "lab/config/config.hpp"

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
  std::filesystem::path end_of_cycles() const { return path_ / "cycles.safetensors"; }
  std::filesystem::path result() const { return path_ / "result.json"; }

  // Makes it the folder of this run, for good.
  void begin(const RunConfig& config);

  void append_session(const nlohmann::ordered_json& line) const;
  void write_result(const nlohmann::ordered_json& result) const;

 private:
  std::filesystem::path lock_file() const { return path_ / "lock"; }
  void check_what_is_there(const RunConfig& config) const;

  std::filesystem::path path_;
  std::optional<FileLock> lock_;
  bool made_ = false, begun_ = false;
};

}  // namespace cambium
