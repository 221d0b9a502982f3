// Chooses how steps are submitted by timing both ways: launch by launch, or as one recorded graph.
//
// Steps of each way are timed in turn, twice; the way with the shortest block of steps wins. Both ways give the same
// bits, so the choice changes the speed alone.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace cambium {

class SubmissionTrial {
 public:
  static constexpr int warm_up_steps = 4, timed_steps = 24, rounds = 2;
  // Blocks that may be timed again because of an unusual step in them; then graphs are not used.
  static constexpr int most_restarts = 16;

  // `now` waits for the device and returns the time in seconds.
  explicit SubmissionTrial(std::function<double()> now) : now_(std::move(now)) {}

  // True if the next step is to be submitted as a graph.
  bool use_graph() const { return use_graph_; }
  bool decided() const { return decided_; }

  // Around every step.
  void step_begins() {
    if (decided_ || steps_ < warm_up_steps || running_) return;
    start_ = now_();
    running_ = true;
  }
  void step_ends() {
    if (decided_ || ++steps_ < warm_up_steps + timed_steps) return;
    pause();
    double& best = use_graph_ ? graph_seconds_ : direct_seconds_;
    best = std::min(best, seconds_ / timed_steps);
    begin_block();
    if (use_graph_ && ++round_ == rounds)
      decide(graph_seconds_ < direct_seconds_);
    else
      use_graph_ = !use_graph_;
  }

  // Something other than steps is about to use the device: its time does not count.
  void pause() {
    if (!running_) return;
    seconds_ += now_() - start_;
    running_ = false;
  }
  // The last step was not like those to come, as it was recorded first: the block is timed again.
  void restart() {
    if (decided_) return;
    begin_block();
    if (++restarts_ > most_restarts) decide(false);
  }
  // Steps cannot be recorded.
  void reject_graph() { decide(false); }

  // Seconds per step; infinity if no step was timed.
  double direct_seconds() const { return direct_seconds_; }
  double graph_seconds() const { return graph_seconds_; }

 private:
  void begin_block() {
    steps_ = 0;
    seconds_ = 0;
    running_ = false;
  }
  void decide(bool use_graph) {
    use_graph_ = use_graph;
    decided_ = true;
    running_ = false;
  }

  std::function<double()> now_;
  double start_ = 0, seconds_ = 0;  // of the current block
  bool running_ = false;
  double direct_seconds_ = std::numeric_limits<double>::infinity();
  double graph_seconds_ = std::numeric_limits<double>::infinity();
  int steps_ = 0, round_ = 0, restarts_ = 0;
  bool use_graph_ = false, decided_ = false;
};

}  // namespace cambium
