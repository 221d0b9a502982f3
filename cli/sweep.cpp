// cambium sweep: runs the cells of an experiment, on this machine or on a cluster.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/run_cells.hpp"
#include "cli/study_output.hpp"
#include "lab/sweep/sweep.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::string only;
  SweepFlags sweep;
};

// Indices of cells from the text of --only.
std::vector<std::size_t> parse_places(const std::string& text, std::size_t cells) {
  std::vector<std::size_t> places;
  if (text.empty()) return places;
  for (const auto& part : split(text)) {
    const std::size_t dots = part.find("..");
    std::size_t first = 0, last = 0;
    bool right = parse_number(part.substr(0, dots), first);
    last = first;
    if (dots != std::string::npos) right = right && parse_number(part.substr(dots + 2), last);
    if (!right || first < 1 || last < first || last > cells)
      throw_input_error("--only {}: give numbers of cells from `cambium plan`, 1 to {}: 3, 1..4 or 1,5", text, cells);
    for (; first <= last; ++first) places.push_back(first - 1);
  }
  return places;
}

// Returns the exit code.
int sweep_command(const Command& command, const Flags& flags) {
  check(command, flags.sweep);
  auto experiment = flags.experiment.read();
  const auto only = parse_places(flags.only, experiment.cells.size());
  const SweepFolder folder(flags.experiment.folder(experiment));
  folder.keep(experiment);
  const auto end = run_cells(flags.sweep, experiment, folder, only);
  if (end.code != exit_done || !end.all_done) return end.code;
  spdlog::info("All {} cells are done: {}", cells_of(experiment, only).size(),
               (folder.path() / "cells.jsonl").string());
  print_own_table(experiment, folder);
  return exit_done;
}

}  // namespace

void add_sweep(Command& root) {
  auto& command = root.add_command("sweep", "Run the cells of an experiment that are not done");
  auto flags = std::make_shared<Flags>();
  add_experiment_flags(command, flags->experiment);
  command.add_option("--only", flags->only, "Run only these cells, by their numbers in `cambium plan`: 3, 1..4 or 1,5",
                     {.value = "CELLS"});
  add_sweep_flags(command, flags->sweep);
  command.set_footer(
      "Cells are independent. The same command resumes after any interruption, and several commands on one folder "
      "share the work. A cell that fails is reported; it runs again only with --retry.");
  command.set_action([flags, &root, &command] {
    flags->sweep.quiet = root.given("--quiet");
    return sweep_command(command, *flags);
  });
}

}  // namespace cambium::cli
