#include "cli/experiment_flags.hpp"

#include <fmt/format.h>

#include "lab/study/study.hpp"

namespace cambium::cli {

void add_experiment_flags(CLI::App& command, ExperimentFlags& flags) {
  command
      .add_option(
          "FILE", flags.file,
          "The experiment: a TOML file (docs/experiments.md), or the name of one of the study's: table-4, figure-2")
      ->type_name("")
      ->required();
  command.add_option("--scale", flags.scale, "full: as the file stands; quick: with what it changes for a short try")
      ->type_name("full|quick")
      ->capture_default_str();
  command
      .add_option("--out", flags.out, "Folder of the cells. Default: results/, named by the experiment and the scale")
      ->type_name("DIR");
}

Experiment ExperimentFlags::read() const {
  if (in_study(file) && !std::filesystem::exists(file)) return study_experiment(file, parse_scale(scale));
  return read_experiment(file, parse_scale(scale));
}

std::filesystem::path ExperimentFlags::folder(const Experiment& experiment) const {
  if (!out.empty()) return out;
  return std::filesystem::path("results") /
         (experiment.scale == Scale::full ? experiment.name : fmt::format("{}-{}", experiment.name, scale));
}

}  // namespace cambium::cli
