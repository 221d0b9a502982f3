#include "cli/experiment_flags.hpp"

#include <fmt/format.h>

#include "cli/command_line.hpp"
#include "lab/report/panel.hpp"
#include "lab/study/printed_table.hpp"
#include "lab/study/study.hpp"

namespace cambium::cli {

void add_experiment_flags(Command& command, ExperimentFlags& flags) {
  command.add_option("FILE", flags.file,
                     "Experiment: a TOML file (docs/experiments.md), or the name of a table or figure of the study, "
                     "such as table-4",
                     {.required = true});
  command.add_option("--scale", flags.scale,
                     "full: the experiment as written; quick: with the changes that its file makes for a short trial",
                     {.value = "full|quick", .show_default = true});
  command.add_option("--out", flags.out,
                     "Folder of the cells. Default: results/EXPERIMENT, or results/EXPERIMENT-quick", {.value = "DIR"});
}

Experiment ExperimentFlags::read() const {
  const bool named = in_study(file) && !std::filesystem::exists(file);
  auto experiment = named ? study_experiment(file, parse_scale(scale)) : read_experiment(file, parse_scale(scale));
  // Errors in a figure or a table must be found before hours of runs, not after.
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
