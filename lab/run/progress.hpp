// How far a run is: a bar that redraws itself on a terminal, a line now and then elsewhere. Goes to stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cambium {

class Progress {
 public:
  // `total` steps, of which `done` were taken before. Silent when `quiet`.
  Progress(std::uint64_t total, std::uint64_t done, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;

  // `state` says how training stands: epoch, loss, accuracy.
  void show(std::uint64_t done, const std::string& state);
  // Takes the bar away, so that something else can be printed.
  void clear();

  double seconds() const;           // since the start
  double steps_per_second() const;  // over the last while

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t total_, started_at_, done_;
  bool quiet_, terminal_, drawn_ = false;
  Clock::time_point start_, last_shown_, window_start_;
  std::uint64_t window_done_;
  double rate_ = 0;
};

}  // namespace cambium
