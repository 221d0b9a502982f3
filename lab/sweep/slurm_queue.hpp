// The queue of a cluster, through SLURM's own programs: sbatch submits an array of tasks, squeue lists them. A task has
// a number within its array; all arrays of an experiment have the same name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cambium {

using SlurmJob = std::uint64_t;

struct SlurmTask {
  SlurmJob job = 0;
  std::size_t number = 0;
  // ending: COMPLETING, that is ended, killed or requeued; SLURM does not say which.
  enum class State { queued, running, ending } state = State::queued;
  bool operator==(const SlurmTask&) const = default;
};

struct SlurmArray {
  std::string name;                    // letters, digits, points, dashes and underscores
  std::string script;                  // the batch script; SLURM_ARRAY_TASK_ID is the number of the task
  std::vector<std::size_t> numbers;    // of the tasks, ascending
  std::size_t at_a_time = 0;           // tasks that may run at once; 0: no limit
  std::vector<SlurmJob> after;         // jobs that must end first, successfully or not
  std::filesystem::path output;        // task N writes to this path followed by N.log
  std::string time_limit;              // in the format of sbatch
  std::vector<std::string> arguments;  // more arguments of sbatch; they override those above
};

// Both throw InputError if SLURM rejects the request, and EnvironmentError if SLURM's programs are missing, its
// controller does not answer, or an answer cannot be parsed.
SlurmJob submit(const SlurmArray& array);
std::vector<SlurmTask> tasks_in_queue(const std::string& name);

// The text with every character that SLURM does not accept in a name replaced by _.
std::string slurm_name(const std::string& text);

// Ascending numbers in the format of sbatch --array: 1-3,7.
std::string array_indices(const std::vector<std::size_t>& numbers);

// Parse the output of sbatch --parsable and of squeue.
SlurmJob parse_submission(const std::string& text);
std::vector<SlurmTask> parse_queue(const std::string& text);

}  // namespace cambium
