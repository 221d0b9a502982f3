// The folder that cells are run in, alone or by several processes at once:
//
//   experiments/SCALE/NAME.toml   the experiments, as they were given
//   cells/CELL/             a run each (lab/run/run_folder.hpp); its result.json means done
//   logs/CELL.log           what the run said
//   failures/CELL.json      how it failed, until it is tried again
//   slurm/                  what tasks on a cluster said (lab/sweep/slurm_sweep.hpp)
//   claims/CELL             locked by whoever is at work on the cell, for as long as that process lives
//   cells.jsonl, seeds.csv  what came out (lab/experiment/collection.hpp)
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lab/experiment/experiment.hpp"

namespace cambium {

// A cell that nobody else is at work on. Held until it is destroyed and, where a child process was given the
// descriptor, that has ended, too.
class Claim {
 public:
  explicit Claim(int descriptor) : descriptor_(descriptor) {}
  ~Claim();
  Claim(Claim&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Claim& operator=(Claim&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

struct Failure {
  int exit_code = 0, signal = 0;  // of the process; a signal, or a code
  std::string log_tail;           // the end of its log
};

// Of a log, for people; empty when there is none.
std::string last_lines_of(const std::filesystem::path& log);

class SweepFolder {
 public:
  // Makes the folder, or takes it up again. Throws InputError when it cannot be, or holds something else.
  explicit SweepFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path cell(const std::string& name) const { return path_ / "cells" / name; }
  std::filesystem::path log(const std::string& name) const { return path_ / "logs" / (name + ".log"); }

  // Keeps the file of an experiment. Throws InputError when there is another of that name.
  void keep(const Experiment& experiment) const;
  // All that were kept, by scale and name, with open cells decided where that can be.
  std::vector<Experiment> experiments() const;

  bool done(const std::string& name) const;
  // None when someone else has it.
  std::optional<Claim> claim(const std::string& name) const;
  // Of something that no one has for long.
  Claim wait_for(const std::string& name) const;
  bool claimed(const std::string& name) const { return !claim(name); }

  std::optional<Failure> failure(const std::string& name) const;
  void record(const std::string& name, const Failure& failure) const;
  void forget_failure(const std::string& name) const;

  std::string log_tail(const std::string& name) const { return last_lines_of(log(name)); }

 private:
  std::filesystem::path failure_file(const std::string& name) const { return path_ / "failures" / (name + ".json"); }

  std::filesystem::path path_;
};

// Gives open cells their configuration where the candidates are done. Says how many are still open.
std::size_t decide_cells(Experiment& experiment, const SweepFolder& folder);

}  // namespace cambium
