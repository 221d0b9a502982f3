// Runs the unfinished cells of an experiment on a cluster: one array task per cell, which runs this program as a sweep
// of that cell. Locks, checkpoints and failures are in the sweep's folder, on a disk that all machines share; the state
// of the queue comes from SLURM. No other state is kept, so that the command can be repeated at any time.
//
//   slurm/NAME-N.log   the output of the task of cell N, of all its attempts
#pragma once

#include "lab/sweep/slurm_queue.hpp"
#include "lab/sweep/sweep.hpp"

namespace cambium {

struct SlurmOptions {
  std::vector<std::size_t> only;  // cells by their place; empty: all
  bool retry = false;             // submit failed cells again
  bool detach = false;            // submit and return
  bool quiet = false;
  std::size_t at_a_time = 0;  // tasks that may run at once; 0: no limit
  std::string time_limit;
  std::vector<std::string> arguments;  // of sbatch
  std::vector<std::string> words;      // the command of a task; the number of the cell is appended
};

struct SlurmEnd : SweepEnd {
  std::vector<std::size_t> lost;  // cells that are neither done nor failed and have no task any more
  std::vector<SlurmJob> jobs;     // still in the queue
  std::size_t submitted = 0;      // number of cells
};

// Submits the cells that are neither done nor failed nor in the queue, then waits until all have ended. Interrupting
// this program does not interrupt the jobs.
SlurmEnd slurm_sweep(Experiment& experiment, const SweepFolder& folder, const SlurmOptions& options);

// The log of the task of a cell.
std::filesystem::path slurm_log(const Experiment& experiment, const SweepFolder& folder, std::size_t place);

}  // namespace cambium
