#include "lab/sweep/slurm_sweep.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "lab/sweep/overview.hpp"
#include "lab/sweep/slurm_script.hpp"

namespace cambium {
namespace {

using Clock = std::chrono::steady_clock;
using State = Overview::State;
using namespace std::chrono_literals;

constexpr auto pause = 100ms, folder_interval = 1000ms;
// SLURM's controller serves the whole cluster, so the interval between queries grows during the sweep.
constexpr std::chrono::milliseconds first_interval = 1000ms, longest_interval = 15000ms;
// A shared disk shows late what another machine wrote. A cell is lost after so many queries that did not find it.
constexpr int queries_until_lost = 3;
// Cells whose task is still ending after this time are not submitted again.
constexpr auto longest_ending = 120s;

// The name of all jobs of this experiment in this folder.
std::string job_name(const Experiment& experiment, const SweepFolder& folder) {
  const std::string parts[]{std::filesystem::canonical(folder.path()).string(), experiment.name,
                            name_of(experiment.scale)};
  return fmt::format("cambium-{}-{}", slurm_name(experiment.name), content_hash(parts).substr(0, 8));
}

// slurm/NAME-
std::filesystem::path log_stem(const Experiment& experiment, const SweepFolder& folder) {
  return std::filesystem::canonical(folder.path()) / "slurm" / (job_name(experiment, folder) + "-");
}

class SlurmSweep {
 public:
  SlurmSweep(Experiment& experiment, const SweepFolder& folder, const SlurmOptions& options)
      : experiment_(experiment),
        folder_(folder),
        options_(options),
        name_(job_name(experiment, folder)),
        cells_(cells_of(experiment, options.only)),
        overview_(experiment, folder, cells_, options.quiet) {}

  SlurmEnd go() {
    {
      // If several processes start at once, the first one submits, and the others find its jobs in the queue.
      const FileLock guard = folder_.lock("submission");
      wait_for_ending_tasks();
      submit_missing();
    }
    update();
    while (!options_.detach && !watch_.interrupted() && !ended()) {
      overview_.show();
      std::this_thread::sleep_for(pause);
      if (Clock::now() - last_queue_ > queue_interval_)
        update();
      else if (Clock::now() - last_folder_ > folder_interval)
        read_folder();
    }
    overview_.clear();
    return end();
  }

 private:
  const Cell& cell(std::size_t place) const { return experiment_.cells[place]; }
  bool in_queue(std::size_t place) const { return tasks_.contains(place); }

  void query_queue() {
    last_queue_ = Clock::now();
    tasks_.clear();
    for (const auto& task : tasks_in_queue(name_)) {
      if (task.number < 1 || task.number > experiment_.cells.size()) continue;
      // A cell may have two tasks: one that is ending and one that waits.
      const auto [known, added] = tasks_.emplace(task.number - 1, task);
      if (!added && known->second.state == SlurmTask::State::ending) known->second = task;
    }
  }

  void wait_for_ending_tasks() {
    const auto start = Clock::now();
    const auto ending = [&](std::size_t place) {
      const auto task = tasks_.find(place);
      return task != tasks_.end() && task->second.state == SlurmTask::State::ending &&
             (cell(place).open() || !folder_.done(cell(place).name));
    };
    while (true) {
      query_queue();
      decide_cells(experiment_, folder_);
      if (std::none_of(cells_.begin(), cells_.end(), ending) || watch_.interrupted()) return;
      if (Clock::now() - start > longest_ending) return;
      std::this_thread::sleep_for(first_interval);
    }
  }

  // Open cells get a second array, which waits for the tasks of their candidates.
  void submit_missing() {
    if (watch_.interrupted()) return;
    std::vector<std::size_t> first, open;
    std::map<std::string, Failure> failures;  // of cells that are submitted again
    for (const std::size_t place : cells_) {
      const auto& name = cell(place).name;
      if (in_queue(place)) continue;
      if (cell(place).open()) {
        open.push_back(place);
        continue;
      }
      if (folder_.done(name) || folder_.locked(name)) continue;
      if (const auto failure = folder_.failure(name)) {
        if (!options_.retry) continue;
        failures.emplace(name, *failure);
      }
      first.push_back(place);
    }
    std::erase_if(open, [&](std::size_t place) {
      return candidate_of(place, [&](std::size_t candidate) {
        const auto& name = cell(candidate).name;
        return folder_.failure(name) && !failures.contains(name) && !in_queue(candidate);
      });
    });
    // A task does not run a cell that has failed, so the failures are deleted before the tasks can start.
    for (const auto& [name, failure] : failures) folder_.forget_failure(name);
    try {
      submit_array(first);
    } catch (...) {
      for (const auto& [name, failure] : failures) folder_.record(name, failure);
      throw;
    }
    submit_array(open);
  }

  void submit_array(const std::vector<std::size_t>& places) {
    if (places.empty()) return;
    SlurmArray array{.name = name_,
                     .script = slurm_script(options_.words),
                     .at_a_time = options_.at_a_time,
                     .output = log_stem(experiment_, folder_),
                     .time_limit = options_.time_limit,
                     .arguments = options_.arguments};
    make_folder(array.output.parent_path());
    std::set<SlurmJob> after;
    for (const std::size_t place : places) {
      array.numbers.push_back(place + 1);
      if (!cell(place).open()) continue;
      for (const std::size_t candidate : cell(place).candidates)
        if (const auto task = tasks_.find(candidate); task != tasks_.end()) after.insert(task->second.job);
    }
    array.after.assign(after.begin(), after.end());
    const SlurmJob job = submit(array);
    for (const std::size_t place : places) tasks_[place] = {job, place + 1, SlurmTask::State::queued};
    submitted_ += places.size();
    if (!options_.quiet)
      spdlog::info("Submitted {} cells as job {}{}.", places.size(), job,
                   array.after.empty() ? "" : fmt::format(", after {}", fmt::join(array.after, ", ")));
  }

  template <class Condition>
  bool candidate_of(std::size_t place, Condition condition) const {
    const auto& candidates = cell(place).candidates;
    return std::any_of(candidates.begin(), candidates.end(), condition);
  }

  // Queries the queue first, then reads the folder: a task writes its result before it leaves the queue.
  void update() {
    try {
      query_queue();
      queue_unreachable_ = false;
      for (const std::size_t place : cells_) absences_[place] = in_queue(place) ? 0 : absences_[place] + 1;
    } catch (const EnvironmentError& error) {
      // The jobs continue, so this program keeps waiting for them.
      overview_.clear();
      if (!std::exchange(queue_unreachable_, true)) spdlog::warn("{}", error.what());
    }
    queue_interval_ = std::min(queue_interval_ * 3 / 2, longest_interval);
    read_folder();
  }

  void read_folder() {
    last_folder_ = Clock::now();
    decide_cells(experiment_, folder_);
    for (const std::size_t place : cells_) {
      const State before = overview_.state(place);
      if (before == State::done) continue;
      if (cell(place).open())
        overview_.set(place, in_queue(place) ? State::queued : State::waiting);
      else
        update_state(place, before);
    }
    first_read_ = false;
  }

  void update_state(std::size_t place, State before) {
    const auto& name = cell(place).name;
    if (folder_.done(name)) return overview_.set(place, State::done, first_read_ ? "" : "done");
    if (folder_.failure(name))
      return overview_.set(place, State::failed,
                           first_read_ ? "" : fmt::format("FAILED; see {}", folder_.log(name).string()));
    if (in_queue(place))
      return overview_.set(place, tasks_.at(place).state == SlurmTask::State::running ? State::running : State::queued);
    if (before == State::lost) return;
    if (folder_.locked(name)) {
      absences_[place] = 0;
      return overview_.set(place, State::elsewhere);
    }
    if (absences_[place] >= queries_until_lost)
      overview_.set(place, State::lost,
                    fmt::format("LOST: its task left the queue before the cell was done; see {}",
                                slurm_log(experiment_, folder_, place).string()));
  }

  bool ended() const {
    const auto has_ended = [&](std::size_t place) {
      const State state = overview_.state(place);
      if (state == State::done || state == State::failed || state == State::lost) return true;
      // An open cell waits for its candidates, unless one of them has failed or is lost.
      return cell(place).open() && !in_queue(place) && candidate_of(place, [&](std::size_t candidate) {
               const State other = overview_.state(candidate);
               return other == State::failed || other == State::lost;
             });
    };
    return std::all_of(cells_.begin(), cells_.end(), has_ended);
  }

  SlurmEnd end() const {
    SlurmEnd end;
    end.interrupted = watch_.interrupted();
    end.submitted = submitted_;
    for (const std::size_t place : cells_) {
      const State state = overview_.state(place);
      if (state != State::done) end.unfinished.push_back(place);
      if (state == State::failed) end.failed.push_back(place);
      if (state == State::lost) end.lost.push_back(place);
    }
    std::set<SlurmJob> jobs;
    for (const auto& [place, task] : tasks_) jobs.insert(task.job);
    end.jobs.assign(jobs.begin(), jobs.end());
    return end;
  }

  Experiment& experiment_;
  const SweepFolder& folder_;
  const SlurmOptions& options_;
  const std::string name_;
  const std::vector<std::size_t> cells_;
  Overview overview_;
  InterruptWatch watch_;
  std::map<std::size_t, SlurmTask> tasks_;  // in the queue, by cell
  std::map<std::size_t, int> absences_;     // consecutive queries without a task of the cell
  std::size_t submitted_ = 0;
  bool first_read_ = true, queue_unreachable_ = false;
  std::chrono::milliseconds queue_interval_ = first_interval;
  Clock::time_point last_queue_{}, last_folder_{};
};

}  // namespace

SlurmEnd slurm_sweep(Experiment& experiment, const SweepFolder& folder, const SlurmOptions& options) {
  return SlurmSweep(experiment, folder, options).go();
}

std::filesystem::path slurm_log(const Experiment& experiment, const SweepFolder& folder, std::size_t place) {
  return fmt::format("{}{}.log", log_stem(experiment, folder).string(), place + 1);
}

}  // namespace cambium
