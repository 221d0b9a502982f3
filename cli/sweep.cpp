// cambium sweep: runs the cells of an experiment, here or on a cluster.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/results.hpp"
#include "cli/sweep_flags.hpp"
#include "lab/sweep/sweep.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::string only;
  SweepFlags sweep;
};

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
      throw_input_error("--only {}: write numbers of cells as `cambium plan` shows them, 1 to {}: 3, 1..4 or 1,5", text,
                        cells);
    for (; first <= last; ++first) places.push_back(first - 1);
  }
  return places;
}

void sweep_command(const Flags& flags) {
  check(flags.sweep);
  auto experiment = flags.experiment.read();
  const auto only = parse_places(flags.only, experiment.cells.size());
  const SweepFolder folder(flags.experiment.folder(experiment));
  folder.keep(experiment);
  const auto end = run_cells(flags.sweep, experiment, folder, only);
  if (end.code != exit_done) throw CLI::RuntimeError(end.code);
  if (!end.done) return;
  spdlog::info("All {} cells are done: {}", cells_of(experiment, only).size(),
               (folder.path() / "cells.jsonl").string());
  show_own_table(experiment, folder);
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto* command = app.add_subcommand("sweep", "Run the cells of an experiment: all that are not done yet");
  auto flags = std::make_shared<Flags>();
  add_experiment_flags(*command, flags->experiment);
  command->add_option("--only", flags->only, "Only these cells, by their numbers in `cambium plan`: 3, 1..4 or 1,5")
      ->type_name("CELLS");
  add_sweep_flags(*command, flags->sweep);
  command->footer(
      "Cells are independent; the same command goes on after any interruption, and several on one folder share the "
      "work. A cell that fails is reported, kept apart and not tried again without --retry.");
  command->callback([flags, &app] {
    flags->sweep.quiet = app.count("--quiet") > 0;
    sweep_command(*flags);
  });
}

}  // namespace cambium::cli
