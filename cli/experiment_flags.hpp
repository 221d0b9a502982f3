// Options of the commands that read an experiment: the file, the scale and the folder.
#pragma once

#include <filesystem>
#include <string>

#include "lab/experiment/experiment.hpp"

namespace cambium::cli {

class Command;

struct ExperimentFlags {
  std::string file, scale = "full", out;

  // Reads the file, or the experiment of that name that comes with the program. Checks its panels and its table, too.
  Experiment read() const;
  std::filesystem::path folder(const Experiment& experiment) const;
};

void add_experiment_flags(Command& command, ExperimentFlags& flags);

}  // namespace cambium::cli
