// The process of a cell: `cambium train`. If its parent ends, it saves a checkpoint and ends too.
#pragma once

#include <optional>

#include "base/process.hpp"
#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

class CellProcess {
 public:
  // `flags`: more flags of `cambium train`. The process inherits the lock on the cell.
  CellProcess(const Cell& cell, const SweepFolder& folder, FileLock lock, const std::vector<std::string>& flags);

  // None while the process runs.
  std::optional<ChildProcess::End> ended() { return process_.poll(); }
  // Asks the process to save a checkpoint and end.
  void ask_to_stop() const;

 private:
  FileLock lock_;
  ChildProcess process_;
};

// Whether another process stopped the cell, with or without a checkpoint, so that it can be resumed.
bool was_stopped(const ChildProcess::End& end);

}  // namespace cambium
