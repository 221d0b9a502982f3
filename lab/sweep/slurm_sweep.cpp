#include "lab/sweep/slurm_sweep.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "lab/sweep/overview.hpp"
#include "lab/sweep/slurm_script.hpp"

namespace cambium {
namespace {

using Clock = std::chrono::steady_clock;
using State = Overview::State;
using namespace std::chrono_literals;

constexpr auto nap = 100ms, look_at_files = 1000ms;
// The controller serves the whole cluster: a short sweep is looked at often, a long one seldom.
constexpr std::chrono::milliseconds first_pause = 1000ms, longest_pause = 15000ms;
// A disk that is shared shows late what another machine wrote: a cell is lost when it was missed so often.
constexpr int looks_until_lost = 3;
// How long a task may take to end before a new one is not submitted for its cell.
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
      // Of several who come at once, one submits, and the others find it done.
      const Claim alone = folder_.wait_for("submission");
      look_until_none_is_ending();
      submit_missing();
    }
    look();
    while (!options_.detach && !watch_.interrupted() && !over()) {
      overview_.show();
      std::this_thread::sleep_for(nap);
      if (Clock::now() - last_queue_ > pause_)
        look();
      else if (Clock::now() - last_files_ > look_at_files)
        look_at_folder();
    }
    overview_.clear();
    return end();
  }

 private:
  const Cell& cell(std::size_t place) const { return experiment_.cells[place]; }
  bool in_queue(std::size_t place) const { return tasks_.contains(place); }

  void look_at_queue() {
    last_queue_ = Clock::now();
    tasks_.clear();
    for (const auto& task : tasks_in_queue(name_)) {
      if (task.number < 1 || task.number > experiment_.cells.size()) continue;
      // A cell may have a task that ends and another that waits already.
      const auto [known, added] = tasks_.emplace(task.number - 1, task);
      if (!added && known->second.state == SlurmTask::State::ending) known->second = task;
    }
  }

  void look_until_none_is_ending() {
    const auto start = Clock::now();
    const auto ending = [&](std::size_t place) {
      const auto task = tasks_.find(place);
      return task != tasks_.end() && task->second.state == SlurmTask::State::ending &&
             (cell(place).open() || !folder_.done(cell(place).name));
    };
    while (true) {
      look_at_queue();
      decide_cells(experiment_, folder_);
      if (std::none_of(cells_.begin(), cells_.end(), ending) || watch_.interrupted()) return;
      if (Clock::now() - start > longest_ending) return;
      std::this_thread::sleep_for(first_pause);
    }
  }

  // Cells whose selection is still open get an array of their own, which waits for the tasks of the candidates.
  void submit_missing() {
    if (watch_.interrupted()) return;
    std::vector<std::size_t> first, then;
    std::map<std::string, Failure> failures;  // of cells that are tried again
    for (const std::size_t place : cells_) {
      const auto& name = cell(place).name;
      if (in_queue(place)) continue;
      if (cell(place).open()) {
        then.push_back(place);
        continue;
      }
      if (folder_.done(name) || folder_.claimed(name)) continue;
      if (const auto failure = folder_.failure(name)) {
        if (!options_.retry) continue;
        failures.emplace(name, *failure);
      }
      first.push_back(place);
    }
    std::erase_if(then, [&](std::size_t place) {
      return candidate_of(place, [&](std::size_t candidate) {
        const auto& name = cell(candidate).name;
        return folder_.failure(name) && !failures.contains(name) && !in_queue(candidate);
      });
    });
    // Before their tasks can start, since what has failed is not touched by a task.
    for (const auto& [name, failure] : failures) folder_.forget_failure(name);
    try {
      submit_array(first);
    } catch (...) {
      for (const auto& [name, failure] : failures) folder_.record(name, failure);
      throw;
    }
    submit_array(then);
  }

  void submit_array(const std::vector<std::size_t>& places) {
    if (places.empty()) return;
    SlurmArray array{.name = name_,
                     .script = slurm_script(options_.words),
                     .at_a_time = options_.at_a_time,
                     .output = log_stem(experiment_, folder_),
                     .time_limit = options_.time_limit,
                     .arguments = options_.arguments};
    std::filesystem::create_directories(array.output.parent_path());
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

  // The queue, and then the folder: what has left the queue has written before.
  void look() {
    try {
      look_at_queue();
      silent_ = false;
      for (const std::size_t place : cells_) absences_[place] = in_queue(place) ? 0 : absences_[place] + 1;
    } catch (const EnvironmentError& error) {
      // The jobs go on; so does the watch.
      overview_.clear();
      if (!std::exchange(silent_, true)) spdlog::warn("{}", error.what());
    }
    pause_ = std::min(pause_ * 3 / 2, longest_pause);
    look_at_folder();
  }

  void look_at_folder() {
    last_files_ = Clock::now();
    decide_cells(experiment_, folder_);
    for (const std::size_t place : cells_) {
      const State before = overview_.state(place);
      if (before == State::done) continue;
      if (cell(place).open())
        overview_.set(place, in_queue(place) ? State::queued : State::waiting);
      else
        look_at(place, before);
    }
    first_look_ = false;
  }

  void look_at(std::size_t place, State before) {
    const auto& name = cell(place).name;
    if (folder_.done(name)) return overview_.set(place, State::done, first_look_ ? "" : "done");
    if (folder_.failure(name))
      return overview_.set(place, State::failed,
                           first_look_ ? "" : fmt::format("FAILED; see {}", folder_.log(name).string()));
    if (in_queue(place))
      return overview_.set(place, tasks_.at(place).state == SlurmTask::State::running ? State::running : State::queued);
    if (before == State::lost) return;
    if (folder_.claimed(name)) {
      absences_[place] = 0;
      return overview_.set(place, State::elsewhere);
    }
    if (absences_[place] >= looks_until_lost)
      overview_.set(
          place, State::lost,
          fmt::format("its task is gone before it was done; see {}", slurm_log(experiment_, folder_, place).string()));
  }

  bool over() const {
    const auto is_over = [&](std::size_t place) {
      const State state = overview_.state(place);
      if (state == State::done || state == State::failed || state == State::lost) return true;
      // An open cell waits for its candidates, and for nothing when one of them comes to nothing.
      return cell(place).open() && !in_queue(place) && candidate_of(place, [&](std::size_t candidate) {
               const State other = overview_.state(candidate);
               return other == State::failed || other == State::lost;
             });
    };
    return std::all_of(cells_.begin(), cells_.end(), is_over);
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
  std::map<std::size_t, SlurmTask> tasks_;  // that are in the queue, by cell
  std::map<std::size_t, int> absences_;     // looks at the queue in which the cell was not there
  std::size_t submitted_ = 0;
  bool first_look_ = true, silent_ = false;
  std::chrono::milliseconds pause_ = first_pause;
  Clock::time_point last_queue_{}, last_files_{};
};

}  // namespace

SlurmEnd slurm_sweep(Experiment& experiment, const SweepFolder& folder, const SlurmOptions& options) {
  return SlurmSweep(experiment, folder, options).go();
}

std::filesystem::path slurm_log(const Experiment& experiment, const SweepFolder& folder, std::size_t place) {
  return fmt::format("{}{}.log", log_stem(experiment, folder).string(), place + 1);
}

}  // namespace cambium
