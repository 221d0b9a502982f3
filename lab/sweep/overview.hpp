// How a sweep stands: cells done, running and failed, and the time left. Redraws itself on a terminal; elsewhere a line
// tells of every cell that ends. Goes to stderr.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

class Overview {
 public:
  // `cells`: those that the sweep is about, by their place in the experiment.
  Overview(const Experiment& experiment, const SweepFolder& folder, std::vector<std::size_t> cells, bool quiet);
  ~Overview();
  Overview(const Overview&) = delete;

  // Queued: in that of a cluster. Lost: gone from it, and not done.
  enum class State { waiting, queued, running, elsewhere, lost, failed, done };
  // What became of a cell; `note` for people.
  void set(std::size_t cell, State state, const std::string& note = {});
  State state(std::size_t cell) const { return states_.at(cell); }
  std::size_t count(State state) const;
  // Redraws, now and then.
  void show();
  // Takes what was drawn away, so that something else can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  // Share of a cell's work that is done, by what its run has written.
  double share_done(std::size_t cell) const;
  double weight_done() const;
  std::string time_left() const;
  std::string name(std::size_t cell) const;

  const Experiment& experiment_;
  const SweepFolder& folder_;
  std::vector<std::size_t> cells_;
  std::map<std::size_t, State> states_;
  std::map<std::size_t, double> weights_;
  double total_weight_ = 0, weight_before_ = -1;
  bool quiet_, terminal_;
  std::size_t lines_drawn_ = 0;
  Clock::time_point start_, last_shown_{};
};

}  // namespace cambium
