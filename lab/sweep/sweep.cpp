#include "lab/sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "lab/sweep/cell_process.hpp"
#include "lab/sweep/overview.hpp"

namespace cambium {
namespace {

using Clock = std::chrono::steady_clock;
using State = Overview::State;

constexpr auto pause = std::chrono::milliseconds(20), folder_interval = std::chrono::milliseconds(1000);
// A cell that other processes stop so often in one sweep counts as failed.
constexpr int most_stops = 20;

class LocalSweep {
 public:
  LocalSweep(Experiment& experiment, const SweepFolder& folder, const SweepOptions& options)
      : experiment_(experiment),
        folder_(folder),
        options_(options),
        cells_(cells_of(experiment, options.only)),
        overview_(experiment, folder, cells_, options.quiet) {
    for (std::size_t i = 0; i < options.jobs; ++i) free_slots_.push_back(options.jobs - 1 - i);
  }

  SweepEnd go() {
    read_folder();
    bool asked = false;
    while (true) {
      if (watch_.interrupted() && !asked) {
        for (const auto& [cell, job] : jobs_) job.process.ask_to_stop();
        asked = true;
      }
      collect_ended(asked);
      if (asked && jobs_.empty()) break;
      if (!asked) start();
      overview_.show();
      if (!asked && jobs_.empty() && nothing_left()) break;
      if (Clock::now() - last_read_ > folder_interval) read_folder();
      std::this_thread::sleep_for(pause);
    }
    overview_.clear();
    SweepEnd end{.interrupted = asked};
    for (const std::size_t cell : cells_) {
      if (overview_.state(cell) == State::failed) end.failed.push_back(cell);
      if (overview_.state(cell) != State::done) end.unfinished.push_back(cell);
    }
    return end;
  }

 private:
  struct Job {
    CellProcess process;
    std::size_t slot;
    Clock::time_point start;
  };

  const Cell& cell(std::size_t place) const { return experiment_.cells[place]; }

  // Updates the states of cells that other processes may have changed.
  void read_folder() {
    decide_cells(experiment_, folder_);
    for (const std::size_t place : cells_) {
      const State state = overview_.state(place);
      if (state == State::done || state == State::running || cell(place).open()) continue;
      const auto& name = cell(place).name;
      if (folder_.done(name))
        overview_.set(place, State::done, state == State::elsewhere ? "done by another process" : "");
      else if (folder_.locked(name))
        overview_.set(place, State::elsewhere);
      else if (const auto failure = folder_.failure(name); failure && !(options_.retry && !tried_.contains(place)))
        overview_.set(place, State::failed, state == State::elsewhere ? "failed in another process" : "");
      else
        overview_.set(place, State::waiting);
    }
    last_read_ = Clock::now();
  }

  void start() {
    for (const std::size_t place : cells_) {
      if (free_slots_.empty()) return;
      if (overview_.state(place) != State::waiting || cell(place).open()) continue;
      const auto& name = cell(place).name;
      auto lock = folder_.try_lock(name);
      // Another process may have taken the cell since the last read, or even have finished it.
      if (!lock) {
        overview_.set(place, State::elsewhere);
        continue;
      }
      if (folder_.done(name)) {
        overview_.set(place, State::done, "done by another process");
        continue;
      }
      if (folder_.failure(name) && !(options_.retry && !tried_.contains(place))) {
        overview_.set(place, State::failed, "failed in another process");
        continue;
      }
      folder_.forget_failure(name);
      tried_.insert(place);
      const std::size_t slot = free_slots_.back();
      free_slots_.pop_back();
      auto flags = options_.flags;
      if (!options_.devices.empty()) flags.push_back("--device=" + options_.devices[slot % options_.devices.size()]);
      jobs_.emplace(place, Job{CellProcess(cell(place), folder_, std::move(*lock), flags), slot, Clock::now()});
      overview_.set(place, State::running);
    }
  }

  void collect_ended(bool asked) {
    bool any_ended = false;
    for (auto job = jobs_.begin(); job != jobs_.end();) {
      const auto end = job->second.process.ended();
      if (!end) {
        ++job;
        continue;
      }
      const std::size_t place = job->first;
      const double seconds = std::chrono::duration<double>(Clock::now() - job->second.start).count();
      settle(place, *end, seconds, asked);
      free_slots_.push_back(job->second.slot);
      job = jobs_.erase(job);
      any_ended = true;
    }
    if (any_ended) decide_cells(experiment_, folder_);
  }

  // Called while the cell is still locked.
  void settle(std::size_t place, const ChildProcess::End& end, double seconds, bool asked) {
    const auto& name = cell(place).name;
    if (end.exit_code == 0 && end.signal == 0 && folder_.done(name)) {
      overview_.set(place, State::done, fmt::format("done in {:.1f} s", seconds));
    } else if (was_stopped(end) && (asked || ++stops_[place] < most_stops)) {
      overview_.set(place, State::waiting,
                    asked ? "" : "stopped by another process; it resumes from its last checkpoint");
    } else {
      folder_.record(name, {end.exit_code, end.signal, folder_.log_tail(name)});
      overview_.set(place, State::failed,
                    fmt::format("FAILED with {} {}; see {}", end.signal != 0 ? "signal" : "exit code",
                                end.signal != 0 ? end.signal : end.exit_code, folder_.log(name).string()));
    }
  }

  bool nothing_left() {
    read_folder();
    for (const std::size_t place : cells_) {
      const State state = overview_.state(place);
      if (state == State::done || state == State::failed) continue;
      if (!cell(place).open()) return false;
      // An open cell waits for its candidates, unless one of them has failed.
      const auto& candidates = cell(place).candidates;
      const bool hopeless = std::any_of(candidates.begin(), candidates.end(), [&](std::size_t candidate) {
        return overview_.state(candidate) == State::failed;
      });
      if (!hopeless) return false;
    }
    return true;
  }

  Experiment& experiment_;
  const SweepFolder& folder_;
  const SweepOptions& options_;
  std::vector<std::size_t> cells_;
  Overview overview_;
  InterruptWatch watch_;
  std::map<std::size_t, Job> jobs_;  // by cell
  std::vector<std::size_t> free_slots_;
  std::set<std::size_t> tried_;
  std::map<std::size_t, int> stops_;
  Clock::time_point last_read_{};
};

}  // namespace

std::vector<std::size_t> cells_of(const Experiment& experiment, const std::vector<std::size_t>& only) {
  std::set<std::size_t> places(only.begin(), only.end());
  for (const std::size_t place : only) {
    expect(place < experiment.cells.size(), "cell {} of {}", place, experiment.cells.size());
    const auto& candidates = experiment.cells[place].candidates;
    places.insert(candidates.begin(), candidates.end());
  }
  std::vector<std::size_t> result(places.begin(), places.end());
  if (only.empty()) {
    result.resize(experiment.cells.size());
    std::iota(result.begin(), result.end(), 0);
  }
  return result;
}

SweepEnd sweep(Experiment& experiment, const SweepFolder& folder, const SweepOptions& options) {
  return LocalSweep(experiment, folder, options).go();
}

}  // namespace cambium
