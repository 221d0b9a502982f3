// sessions.jsonl: when, where and how fast a run was worked on; a line when a session begins, and one when it ends.
#pragma once

#include "lab/run/progress.hpp"
#include "lab/run/run_folder.hpp"

namespace cambium {

class Device;

class SessionLog {
 public:
  // `step`: of the whole run.
  SessionLog(const RunFolder& folder, Device& device, std::uint64_t step);
  void end(std::uint64_t step, bool done, const Progress& progress) const;

 private:
  const RunFolder& folder_;
  std::uint64_t first_step_;
};

}  // namespace cambium
