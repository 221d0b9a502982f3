// Runs the cells of an experiment that are not done yet on a cluster: an array task for each, which calls this program
// as a sweep of that one cell. Claims, checkpoints and failures are those of every sweep, in the same folder, on a disk
// that all machines share; what is in the queue is what SLURM says. Nothing else is remembered: whoever comes next
// finds its way.
//
//   slurm/NAME-N.log   what the task of cell N said, all its turns
#pragma once

#include "lab/sweep/slurm_queue.hpp"
#include "lab/sweep/sweep.hpp"

namespace cambium {

struct SlurmOptions {
  std::vector<std::size_t> only;  // cells by their place; none: all
  bool retry = false;             // cells that failed
  bool detach = false;            // submit, and do not wait
  bool quiet = false;
  std::size_t at_a_time = 0;  // 0: as many as the cluster lets
  std::string time_limit;
  std::vector<std::string> arguments;  // of sbatch
  std::vector<std::string> words;      // how a task calls this program; the cell's number follows
};

struct SlurmEnd : SweepEnd {
  std::vector<std::size_t> lost;  // cells that are neither done nor failed, and whose task is gone
  std::vector<SlurmJob> jobs;     // that are still in the queue
  std::size_t submitted = 0;      // cells
};

// Submits what is neither done nor failed nor in the queue, then watches until all is over or the watcher is
// interrupted, which the jobs are not.
SlurmEnd slurm_sweep(Experiment& experiment, const SweepFolder& folder, const SlurmOptions& options);

// What the task of a cell says.
std::filesystem::path slurm_log(const Experiment& experiment, const SweepFolder& folder, std::size_t place);

}  // namespace cambium
