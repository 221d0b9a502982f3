// The process of a cell: `cambium train`. If its parent ends, it saves a checkpoint and ends too.
#pragma once

#include <sys/types.h>

#include <optional>

#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

class CellProcess {
 public:
  // `flags`: more flags of `cambium train`. The process inherits the lock.
  CellProcess(const Cell& cell, const SweepFolder& folder, SweepLock lock, const std::vector<std::string>& flags);
  ~CellProcess();  // kills the process
  CellProcess(CellProcess&& other) noexcept;
  CellProcess& operator=(CellProcess&&) = delete;

  struct End {
    int exit_code = 0, signal = 0;
    // Another process stopped it, with or without a checkpoint; it can be resumed.
    bool stopped() const;
  };
  // None while the process runs.
  std::optional<End> ended();
  // Asks the process to save a checkpoint and end.
  void ask_to_stop() const;

 private:
  pid_t pid_ = -1;
  SweepLock lock_;
};

// The path of the running program.
std::filesystem::path own_program();

}  // namespace cambium
