// The folder of a sweep, which one or several processes fill with the runs of cells:
//
//   experiments/SCALE/NAME.toml   the experiment files
//   cells/CELL/             the run folder of each cell (lab/run/run_folder.hpp); a cell is done if it has result.json
//   logs/CELL.log           the output of the run
//   failures/CELL.json      how the run failed; deleted when it is tried again
//   slurm/                  the output of tasks on a cluster (lab/sweep/slurm_sweep.hpp)
//   claims/CELL             lock files: the process that runs a cell holds the lock on its file
//   cells.jsonl, seeds.csv  the results of all cells (lab/experiment/collection.hpp)
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/lock.hpp"
#include "lab/experiment/experiment.hpp"

namespace cambium {

// How the process of a cell failed.
struct Failure {
  int exit_code = 0, signal = 0;  // one of them is 0
  std::string log_tail;           // the end of its log
};

// The last lines of a log; empty if there is no log.
std::string last_lines_of(const std::filesystem::path& log);

class SweepFolder {
 public:
  // Creates the folder or opens an existing one. Throws InputError if the folder holds something else.
  explicit SweepFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path cell(const std::string& name) const { return path_ / "cells" / name; }
  std::filesystem::path log(const std::string& name) const { return path_ / "logs" / (name + ".log"); }

  // Copies the file of an experiment into the folder. Throws InputError if it already has another of that name.
  void keep(const Experiment& experiment) const;
  // All experiments of the folder, by scale and name. Open cells whose candidates are done are decided.
  std::vector<Experiment> experiments() const;

  bool done(const std::string& name) const;
  // Locks a cell, or one of the common files of the sweep. None if another process holds the lock.
  std::optional<FileLock> try_lock(const std::string& name) const { return FileLock::try_lock(lock_file(name)); }
  // Blocking lock, for short critical sections.
  FileLock lock(const std::string& name) const { return FileLock::wait(lock_file(name)); }
  bool locked(const std::string& name) const { return !try_lock(name); }

  std::optional<Failure> failure(const std::string& name) const;
  void record(const std::string& name, const Failure& failure) const;
  void forget_failure(const std::string& name) const;

  std::string log_tail(const std::string& name) const { return last_lines_of(log(name)); }

 private:
  std::filesystem::path lock_file(const std::string& name) const { return path_ / "claims" / name; }
  std::filesystem::path failure_file(const std::string& name) const { return path_ / "failures" / (name + ".json"); }

  std::filesystem::path path_;
};

// Decides the open cells whose candidates are done. Returns the number of cells that remain open.
std::size_t decide_cells(Experiment& experiment, const SweepFolder& folder);

}  // namespace cambium
