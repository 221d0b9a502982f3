// The process of a cell: `cambium train`. If its parent ends, it saves a checkpoint and ends too.
#pragma once

#include <optional>

#include "base/process.hpp"
#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

class CellProcess {
 public:
  // `flags`: more flags of `cambium train`. The process inherits the lock.
  CellProcess(const Cell& cell, const SweepFolder& folder, FileLock lock, const std::vector<std::string>& flags);

  struct End : ChildProcess::End {
    // Another process stopped it, with or without a checkpoint; it can be resumed.
    bool stopped() const;
  };
  // None while the process runs.
  std::optional<End> ended();
  // Asks the process to save a checkpoint and end.
  void ask_to_stop() const;

 private:
  FileLock lock_;
  ChildProcess process_;
};

}  // namespace cambium
