// The folder of one run:
//
//   config.toml             the complete configuration, written first
//   metrics.jsonl           a line per epoch, appended as it happens; epochs.csv: the same as a table, a row per seed
//   events.jsonl            a line per edit, seed and layer: the chosen units and their scores
//   cohorts.csv             signals of newborns and incumbents, or kept and pruned units; parities.csv: from them
//   tasks.csv, matrix.csv   of a stream: a row per task and seed, and the accuracy on every earlier task
//   online.npy              of a stream: correct images before every step (and online_ticket.npy)
//   checkpoint.safetensors  everything needed to resume
//   cycles.safetensors      the checkpoint at the end of the cycles, before the ticket
//   result.json             written last; a run with it is done
//   lock                    locked by the process that trains the run; empty
//   sessions.jsonl          when, where and how fast the run was trained; the only file that contains times
//
// All files but sessions.jsonl depend only on the configuration, the device and the build: a run that was interrupted
// and resumed has the same bytes at the end as one that was not.
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
  // Creates the folder, or opens an existing one. Throws InputError if another process has locked it, if it contains a
  // run with another configuration (the message names the keys that differ), or if it contains something else.
  RunFolder(std::filesystem::path path, const RunConfig& config);
  ~RunFolder();  // Removes a folder that it created and that was never begun.
  RunFolder(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoint() const { return path_ / "checkpoint.safetensors"; }
  std::filesystem::path end_of_cycles() const { return path_ / "cycles.safetensors"; }
  std::filesystem::path result() const { return path_ / "result.json"; }

  // Writes config.toml: from now on the folder belongs to this run.
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
