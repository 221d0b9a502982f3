// The progress of a run on stderr: a bar on a terminal, otherwise a line every 30 seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cambium {

class Progress {
 public:
  // `total` steps, of which `done` are already done. `quiet`: prints nothing.
  Progress(std::uint64_t total, std::uint64_t done, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;

  // `state`: epoch, loss and accuracy as text.
  void show(std::uint64_t done, const std::string& state);
  // Removes the bar before other output.
  void clear();

  double seconds() const;           // since the start
  double steps_per_second() const;  // over the last seconds

 private:
  using Clock = std::chrono::steady_clock;

  std::uint64_t total_, started_at_, done_;
  bool quiet_, terminal_, drawn_ = false;
  Clock::time_point start_, last_shown_, window_start_;
  std::uint64_t window_done_;
  double rate_ = 0;
};

}  // namespace cambium
