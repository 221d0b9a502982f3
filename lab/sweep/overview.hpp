// Progress of a sweep on stderr: cells done, running and failed, and the estimated time left. On a terminal it is
// redrawn in place; otherwise one line is printed for every cell that ends.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "lab/experiment/sweep_folder.hpp"

namespace cambium {

class Overview {
 public:
  // `cells`: the cells of the sweep, by their place in the experiment.
  Overview(const Experiment& experiment, const SweepFolder& folder, std::vector<std::size_t> cells, bool quiet);
  ~Overview();
  Overview(const Overview&) = delete;

  // elsewhere: another process runs it. queued: in the queue of a cluster. lost: neither in that queue nor done.
  enum class State { waiting, queued, running, elsewhere, lost, failed, done };
  // Sets the state of a cell and, if it changed, prints the note.
  void set(std::size_t cell, State state, const std::string& note = {});
  State state(std::size_t cell) const { return states_.at(cell); }
  std::size_t count(State state) const;
  // Redraws at most every half second.
  void show();
  // Erases the drawn lines, so that other messages can be printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  // Fraction of a cell's work that is done, from its metrics.jsonl.
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
