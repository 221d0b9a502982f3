// cambium reproduce: the study's tables and figures, with ours beside them.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/duration.hpp"
#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/results.hpp"
#include "cli/sweep_flags.hpp"
#include "lab/sweep/cost.hpp"
#include "sycl/device.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  std::string name, scale = "full", out;
  bool no_run = false;
  SweepFlags sweep;

  std::filesystem::path folder() const {
    if (!out.empty()) return out;
    return scale == "full" ? "results/study" : fmt::format("results/study-{}", scale);
  }
};

void list_study() {
  for (const auto& name : study_names()) {
    const auto experiment = study_experiment(name, Scale::full);
    fmt::print("{:<10} {:>4} cells  {}\n", name, experiment.cells.size(), experiment.title);
  }
  fmt::print("\nReproduce one, or all: cambium reproduce NAME [--scale quick]\n");
}

// How much there is to do, before it is begun.
void show_plan(const Flags& flags, Experiment& experiment, const SweepFolder& folder) {
  decide_cells(experiment, folder);
  std::vector<const Cell*> left;
  for (const auto& cell : experiment.cells)
    if (cell.open() || !folder.done(cell.name)) left.push_back(&cell);
  fmt::print("{}\n{} cells, {} done", experiment.title, experiment.cells.size(), experiment.cells.size() - left.size());
  if (!left.empty() && !flags.no_run && flags.sweep.engine == "local") {
    Device device({.device = flags.sweep.devices.empty() ? "" : flags.sweep.devices.front(),
                   .kernel_cache = !flags.sweep.no_cache});
    CostModel costs(device);
    double seconds = 0;
    for (const auto* cell : left) seconds += costs.seconds(cell->config);
    fmt::print("; about {} left on {}", duration_text(seconds), device.info().name);
  }
  fmt::print(".\n\n");
  std::fflush(stdout);
}

// The exit code.
int reproduce(const std::string& name, const Flags& flags, const SweepFolder& folder, std::vector<Outcome>& outcomes) {
  auto experiment = study_experiment(name, parse_scale(flags.scale));
  folder.keep(experiment);
  show_plan(flags, experiment, folder);
  const int code = flags.no_run ? exit_done : run_cells(flags.sweep, experiment, folder).code;
  if (code == exit_interrupted) return code;
  const Study study(folder, experiment.scale);
  outcomes.push_back(outcome_of(experiment, study));
  show(outcomes.back());
  show_own_table(experiment, folder);
  write_comparison(outcomes.back(), folder);
  write_claims(study, folder);
  return code;
}

void show_all(const std::vector<Outcome>& outcomes) {
  fmt::print("\nIn short:\n");
  for (const auto& outcome : outcomes) {
    std::vector<std::string> words;
    if (outcome.comparison) words.push_back(summary(*outcome.comparison));
    if (!outcome.claims.empty()) words.push_back(summary(outcome.claims));
    fmt::print("{:<10} {}\n", outcome.name, fmt::join(words, "; "));
  }
}

void reproduce_command(const Flags& flags) {
  if (flags.name.empty()) return list_study();
  check(flags.sweep);
  const auto names = flags.name == "all" ? study_names() : std::vector{flags.name};
  study_experiment(names.front(),
                   parse_scale(flags.scale));  // Before a folder is made for something that is not there.
  const SweepFolder folder(flags.folder());
  std::vector<Outcome> outcomes;
  int worst = exit_done;
  for (const auto& name : names) {
    const int code = reproduce(name, flags, folder, outcomes);
    if (code == exit_interrupted) throw CLI::RuntimeError(code);
    worst = std::max(worst, code);
  }
  if (names.size() > 1) show_all(outcomes);
  if (flags.scale == "quick")
    fmt::print("\nThese were quick runs, shorter than the study's: what they say about its figures proves little.\n");
  fmt::print("\nThe report: {}\n", make_report(folder.path()).string());
  if (worst != exit_done) throw CLI::RuntimeError(worst);
}

}  // namespace

void add_reproduce(CLI::App& app) {
  auto* command =
      app.add_subcommand("reproduce", "Reproduce a table or figure of the study: run what is missing, and compare");
  auto flags = std::make_shared<Flags>();
  command->add_option("NAME", flags->name, "table-1, figure-2, ..., or all. Without it: list what there is")
      ->type_name("");
  command->add_option("--scale", flags->scale, "full: the study's length; quick: the same protocol, shorter")
      ->type_name("full|quick")
      ->capture_default_str();
  command->add_option("--out", flags->out, "Folder of all runs. Default: results/study, or results/study-quick")
      ->type_name("DIR");
  command->add_flag("--no-run", flags->no_run, "Compare what is done already; run nothing");
  add_sweep_flags(*command, flags->sweep);
  command->footer(
      "Shows the study's figures beside ours, with 95 % intervals over the seeds and a verdict on each, and checks its "
      "claims. Tables and figures that look at the same runs share them. The same command goes on after any "
      "interruption.");
  command->callback([flags, &app] {
    flags->sweep.quiet = app.count("--quiet") > 0;
    reproduce_command(*flags);
  });
}

}  // namespace cambium::cli
