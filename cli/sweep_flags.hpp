// Options of the commands that run cells: sweep and reproduce.
#pragma once

#include <string>
#include <vector>

namespace cambium::cli {

class Command;

struct SweepFlags {
  std::vector<std::string> data_folders, devices, sbatch;
  std::string engine = "local", time_limit = "24:00:00", graph;
  std::size_t jobs = 0;  // 0: one per device; with slurm, no limit
  double checkpoint_seconds = 60;
  bool retry = false, quiet = false, no_cache = false, tensorboard = false, detach = false;
};

// Options that only --engine slurm understands are refused by `check`, when the command runs.
void add_sweep_flags(Command& command, SweepFlags& flags);
void check(const Command& command, const SweepFlags& flags);

}  // namespace cambium::cli
