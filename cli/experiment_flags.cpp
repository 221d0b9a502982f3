#include "cli/experiment_flags.hpp"

#include <fmt/format.h>

#include "lab/report/panel.hpp"
#include "lab/study/printed_table.hpp"
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
  const bool named = in_study(file) && !std::filesystem::exists(file);
  auto experiment = named ? study_experiment(file, parse_scale(scale)) : read_experiment(file, parse_scale(scale));
  // What is wrong with a figure or a table is better known before hours of runs than after.
  read_panels(experiment);
  read_table(experiment);
  return experiment;
}

std::filesystem::path ExperimentFlags::folder(const Experiment& experiment) const {
  if (!out.empty()) return out;
  return std::filesystem::path("results") /
         (experiment.scale == Scale::full ? experiment.name : fmt::format("{}-{}", experiment.name, scale));
}

}  // namespace cambium::cli
