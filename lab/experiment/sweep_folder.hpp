// The folder of a sweep, which one or several processes fill with the runs of cells:
//
//   experiments/SCALE/NAME.toml   the experiment files
//   cells/CELL/             the run folder of each cell (lab/run/run_folder.hpp); the cell is done if it has
//   result.json logs/CELL.log           the output of the run failures/CELL.json      how the run failed; deleted when
//   it is tried again slurm/                  the output of tasks on a cluster (lab/sweep/slurm_sweep.hpp) claims/CELL
//   lock files: the process that runs the cell holds a lock on it cells.jsonl, seeds.csv  the results of all cells
//   (lab/experiment/collection.hpp)
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "lab/experiment/experiment.hpp"

namespace cambium {

// A lock on a cell or on one of the sweep's common files. It is released when the object is destroyed and, if a child
// process inherited the descriptor, that process has ended too.
class SweepLock {
 public:
  explicit SweepLock(int descriptor) : descriptor_(descriptor) {}
  ~SweepLock();
  SweepLock(SweepLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  SweepLock& operator=(SweepLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

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
  // None if another process holds the lock.
  std::optional<SweepLock> try_lock(const std::string& name) const;
  // Blocking lock, for short critical sections.
  SweepLock lock(const std::string& name) const;
  bool locked(const std::string& name) const { return !try_lock(name); }

  std::optional<Failure> failure(const std::string& name) const;
  void record(const std::string& name, const Failure& failure) const;
  void forget_failure(const std::string& name) const;

  std::string log_tail(const std::string& name) const { return last_lines_of(log(name)); }

 private:
  std::filesystem::path failure_file(const std::string& name) const { return path_ / "failures" / (name + ".json"); }

  std::filesystem::path path_;
};

// Decides the open cells whose candidates are done. Returns the number of cells that remain open.
std::size_t decide_cells(Experiment& experiment, const SweepFolder& folder);

}  // namespace cambium
