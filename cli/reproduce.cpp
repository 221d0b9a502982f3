// cambium reproduce: runs the study's tables and figures, and compares the results with the printed numbers.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <cstdio>

#include "base/duration.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/run_cells.hpp"
#include "cli/study_output.hpp"
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
  fmt::print("\nReproduce one of them, or all: cambium reproduce NAME [--scale quick]\n");
}

// Prints how much work is left.
void print_plan(const Flags& flags, Experiment& experiment, const SweepFolder& folder) {
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

// Returns the exit code.
int reproduce(const std::string& name, const Flags& flags, const SweepFolder& folder,
              std::vector<StudyResult>& results) {
  auto experiment = study_experiment(name, parse_scale(flags.scale));
  folder.keep(experiment);
  print_plan(flags, experiment, folder);
  const int code = flags.no_run ? exit_done : run_cells(flags.sweep, experiment, folder).code;
  if (code == exit_interrupted) return code;
  const Study study(folder, experiment.scale);
  results.push_back(study_result(experiment, study));
  print(results.back());
  print_own_table(experiment, folder);
  write_comparison(results.back(), folder);
  write_claims(study, folder);
  return code;
}

void print_summaries(const std::vector<StudyResult>& results) {
  fmt::print("\nSummary:\n");
  for (const auto& result : results) {
    std::vector<std::string> parts;
    if (result.comparison) parts.push_back(summary(*result.comparison));
    if (!result.claims.empty()) parts.push_back(summary(result.claims));
    fmt::print("{:<10} {}\n", result.name, fmt::join(parts, "; "));
  }
}

int reproduce_command(const Command& command, const Flags& flags) {
  if (flags.name.empty()) {
    list_study();
    return exit_done;
  }
  check(command, flags.sweep);
  const auto names = flags.name == "all" ? study_names() : std::vector{flags.name};
  study_experiment(names.front(), parse_scale(flags.scale));  // Refuses a wrong name before a folder is made.
  const SweepFolder folder(flags.folder());
  std::vector<StudyResult> results;
  int worst = exit_done;
  for (const auto& name : names) {
    const int code = reproduce(name, flags, folder, results);
    if (code == exit_interrupted) return code;
    worst = std::max(worst, code);
  }
  if (names.size() > 1) print_summaries(results);
  if (flags.scale == "quick")
    fmt::print(
        "\nThese runs were shorter than the study's (--scale quick): they neither confirm nor refute its numbers.\n");
  fmt::print("\nReport: {}\n", make_report(folder.path()).string());
  return worst;
}

}  // namespace

void add_reproduce(Command& root) {
  auto& command =
      root.add_command("reproduce", "Reproduce a table or figure of the study: run its cells and compare the results");
  auto flags = std::make_shared<Flags>();
  command.add_option("NAME", flags->name, "table-1, figure-2, ..., or all. Without a name: list them");
  command.add_option("--scale", flags->scale, "full: the length that the study has; quick: the same protocol, shorter",
                     {.value = "full|quick", .show_default = true});
  command.add_option("--out", flags->out, "Folder of all runs. Default: results/study, or results/study-quick",
                     {.value = "DIR"});
  command.add_flag("--no-run", flags->no_run, "Run nothing; compare the results that exist");
  add_sweep_flags(command, flags->sweep);
  command.set_footer(
      "Prints the study's numbers beside the measured ones, with 95 % intervals over the seeds and a verdict on each, "
      "and checks the study's claims. Tables and figures share the runs that they have in common. The same command "
      "resumes after any interruption.");
  command.set_action([flags, &root, &command] {
    flags->sweep.quiet = root.given("--quiet");
    return reproduce_command(command, *flags);
  });
}

}  // namespace cambium::cli
