// cambium sweep: runs the cells of an experiment.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/commands.hpp"
#include "cli/experiment_flags.hpp"
#include "lab/config_reader.hpp"
#include "lab/sweep/collection.hpp"
#include "lab/sweep/sweep.hpp"
#include "sycl/error.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  std::vector<std::string> data_folders, devices;
  std::string only;
  double checkpoint_seconds = 60;
  bool no_cache = false, tensorboard = false;
  SweepOptions sweep;
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

std::vector<std::string> train_flags(const Flags& flags) {
  std::vector<std::string> words{fmt::format("--checkpoint-every={}", flags.checkpoint_seconds)};
  for (const auto& folder : flags.data_folders) words.push_back("--data-dir=" + folder);
  if (flags.no_cache) words.push_back("--no-cache");
  if (flags.tensorboard) words.push_back("--tensorboard");
  return words;
}

void sweep_command(Flags& flags) {
  auto experiment = flags.experiment.read();
  const SweepFolder folder(flags.experiment.folder(experiment));
  folder.keep(experiment);
  flags.sweep.only = parse_places(flags.only, experiment.cells.size());
  flags.sweep.flags = train_flags(flags);
  flags.sweep.devices = flags.devices;
  const auto end = sweep(experiment, folder, flags.sweep);
  write_collection(folder);
  for (const std::size_t place : end.failed) {
    const auto& name = experiment.cells[place].name;
    const auto failure = folder.failure(name).value_or(Failure{});
    fmt::print(stderr, "\nCell {}, {}, failed. The end of {}:\n{}\n", place + 1, name, folder.log(name).string(),
               failure.last_words);
  }
  if (end.interrupted) {
    fmt::print(stderr, "Interrupted; everything so far is in {}. The same command goes on from there.\n",
               folder.path().string());
    throw CLI::RuntimeError(exit_interrupted);
  }
  if (!end.failed.empty()) {
    fmt::print(stderr, "\n{} cells failed. When the cause is mended: the same command with --retry.\n",
               end.failed.size());
    throw CLI::RuntimeError(exit_device);
  }
  spdlog::info("All {} cells are done: {}", cells_of(experiment, flags.sweep.only).size(),
               (folder.path() / "cells.jsonl").string());
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto* command = app.add_subcommand("sweep", "Run the cells of an experiment: all that are not done yet");
  auto flags = std::make_shared<Flags>();
  add_experiment_flags(*command, flags->experiment);
  command->add_option("--jobs", flags->sweep.jobs, "Cells at a time. One uses the whole device already")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--only", flags->only, "Only these cells, by their numbers in `cambium plan`: 3, 1..4 or 1,5")
      ->type_name("CELLS");
  command->add_flag("--retry", flags->sweep.retry, "Try cells again that have failed");
  add_data_folders_flag(*command, flags->data_folders);
  command
      ->add_option("--device", flags->devices,
                   "Device, as `cambium devices` lists them; several, separated by commas: jobs take turns")
      ->delimiter(',')
      ->type_name("NAME[,NAME...]");
  command->add_flag("--no-cache", flags->no_cache, "Compile all kernels anew and keep none on disk");
  command->add_option("--checkpoint-every", flags->checkpoint_seconds, "Seconds between checkpoints of a cell")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  command->add_flag("--tensorboard", flags->tensorboard, "Also write the cells' curves as event files for TensorBoard");
  command->footer(
      "Cells are independent; the same command goes on after any interruption, and several on one folder share the "
      "work. A cell that fails is reported, kept apart and not tried again without --retry.");
  command->callback([flags, &app] {
    flags->sweep.quiet = app.count("--quiet") > 0;
    sweep_command(*flags);
  });
}

}  // namespace cambium::cli
