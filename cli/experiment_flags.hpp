// Flags of the subcommands that work on experiments: which one, at which scale, in which folder.
#pragma once

#include <CLI/CLI.hpp>

#include "lab/experiment/experiment.hpp"
#include "lab/experiment/sweep_folder.hpp"

namespace cambium::cli {

struct ExperimentFlags {
  std::string file, scale = "full", out;

  // A file, or one of the experiments that come with the program.
  Experiment read() const;
  std::filesystem::path folder(const Experiment& experiment) const;
};

void add_experiment_flags(CLI::App& command, ExperimentFlags& flags);

}  // namespace cambium::cli
