// The queue of a cluster, through SLURM's own programs: sbatch puts an array of tasks into it, squeue tells which are
// there. A task has a number within its array; arrays that belong together have one name.
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
  // Ending: killed or requeued, and not cleared away yet; which of them, nobody can tell.
  enum class State { queued, running, ending } state = State::queued;
  bool operator==(const SlurmTask&) const = default;
};

struct SlurmArray {
  std::string name;                    // letters, digits, points, dashes and underscores
  std::string script;                  // what a task runs, with its number in SLURM_ARRAY_TASK_ID
  std::vector<std::size_t> numbers;    // of the tasks, rising
  std::size_t at_a_time = 0;           // tasks that may run at once; 0: as many as the cluster lets
  std::vector<SlurmJob> after;         // jobs that have to end first, however they do
  std::filesystem::path output;        // of task N: this, and N.log
  std::string time_limit;              // as sbatch wants it
  std::vector<std::string> arguments;  // of sbatch, beyond these; the last word is theirs
};

// Both throw InputError if SLURM refuses the request, and EnvironmentError if SLURM's programs are missing, its
// controller does not answer, or an answer cannot be parsed.
SlurmJob submit(const SlurmArray& array);
std::vector<SlurmTask> tasks_in_queue(const std::string& name);

// A name that SLURM's programs take, from any text.
std::string slurm_name(const std::string& text);

// Numbers as sbatch wants them: 1-3,7.
std::string array_indices(const std::vector<std::size_t>& numbers);

// What sbatch --parsable and squeue printed.
SlurmJob parse_submission(const std::string& text);
std::vector<SlurmTask> parse_queue(const std::string& text);

}  // namespace cambium
