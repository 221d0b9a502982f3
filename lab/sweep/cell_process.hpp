// A cell at work: `cambium train` in a process of its own, which ends with a checkpoint when its parent does.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/process.hpp"
#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

class CellProcess {
 public:
  // `flags`: of `cambium train`, beyond those of the cell.
  CellProcess(const Cell& cell, const SweepFolder& folder, Claim claim, const std::vector<std::string>& flags);
  ~CellProcess();  // kills it
  CellProcess(CellProcess&& other) noexcept;
  CellProcess& operator=(CellProcess&&) = delete;

  // How it ended: none while it runs.
  struct End {
    int exit_code = 0, signal = 0;
    // It was stopped from outside, with or without a checkpoint, and can go on.
    bool stopped() const;
  };
  std::optional<End> ended();
  void ask_to_stop() const;  // and to save a checkpoint

 private:
  pid_t pid_ = -1;
  Claim claim_;
};

}  // namespace cambium
