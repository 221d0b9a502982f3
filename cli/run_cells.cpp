#include "cli/run_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "lab/experiment/collection.hpp"
#include "lab/sweep/cell_process.hpp"
#include "lab/sweep/slurm_sweep.hpp"
#include "lab/sweep/sweep.hpp"
#include "sycl/device.hpp"

namespace cambium::cli {
namespace {

std::vector<std::string> train_flags(const SweepFlags& flags) {
  std::vector<std::string> arguments{fmt::format("--checkpoint-every={}", flags.checkpoint_seconds)};
  // Absolute, because a job may start in another folder.
  for (const auto& folder : flags.data_folders)
    arguments.push_back("--data-dir=" + std::filesystem::absolute(folder).string());
  if (flags.no_cache) arguments.push_back("--no-cache");
  if (flags.tensorboard) arguments.push_back("--tensorboard");
  if (!flags.graph.empty()) arguments.push_back("--graph=" + flags.graph);
  return arguments;
}

// The command of an array task: a sweep of one cell. It reads the copy of the experiment in the folder, which does not
// change while the user edits the original.
std::vector<std::string> task_command(const SweepFlags& flags, const Experiment& experiment,
                                      const SweepFolder& folder) {
  const auto path = std::filesystem::canonical(folder.path());
  const std::string scale = name_of(experiment.scale);
  std::vector<std::string> arguments{own_program().string(),
                                     "sweep",
                                     (path / "experiments" / scale / (experiment.name + ".toml")).string(),
                                     "--scale=" + scale,
                                     "--out=" + path.string(),
                                     "--engine=local"};
  for (auto& flag : train_flags(flags)) arguments.push_back(std::move(flag));
  if (!flags.devices.empty()) arguments.push_back(fmt::format("--device={}", fmt::join(flags.devices, ",")));
  arguments.push_back("--only");
  return arguments;
}

void report_failures(const SweepEnd& end, const Experiment& experiment, const SweepFolder& folder) {
  for (const std::size_t place : end.failed) {
    const auto& name = experiment.cells[place].name;
    const auto failure = folder.failure(name).value_or(Failure{});
    fmt::print(stderr, "\nCell {}, {}, failed. Last lines of {}:\n{}\n", place + 1, name, folder.log(name).string(),
               failure.log_tail);
  }
  if (!end.failed.empty())
    fmt::print(stderr, "\n{} cells failed. Remove the cause and give the same command with --retry.\n",
               end.failed.size());
}

CellsEnd run_here(const SweepFlags& flags, Experiment& experiment, const SweepFolder& folder,
                  const std::vector<std::size_t>& only) {
  // Refuses a wrong name once, here, instead of in every cell.
  if (!flags.devices.empty()) static_cast<void>(find_devices(fmt::format("{}", fmt::join(flags.devices, ","))));
  const std::size_t jobs = flags.jobs > 0 ? flags.jobs : std::max<std::size_t>(flags.devices.size(), 1);
  const auto end = sweep(experiment, folder,
                         {.only = only,
                          .jobs = jobs,
                          .retry = flags.retry,
                          .quiet = flags.quiet,
                          .flags = train_flags(flags),
                          .devices = flags.devices});
  write_collection(folder);
  report_failures(end, experiment, folder);
  if (end.interrupted)
    fmt::print(stderr, "Interrupted. Results and checkpoints are in {}; the same command resumes the sweep.\n",
               folder.path().string());
  return {end.interrupted ? exit_interrupted : end.failed.empty() ? exit_done : exit_failure, end.unfinished.empty()};
}

CellsEnd run_on_cluster(const SweepFlags& flags, Experiment& experiment, const SweepFolder& folder,
                        const std::vector<std::size_t>& only) {
  const auto end = slurm_sweep(experiment, folder,
                               {.only = only,
                                .retry = flags.retry,
                                .detach = flags.detach,
                                .quiet = flags.quiet,
                                .at_a_time = flags.jobs,
                                .time_limit = flags.time_limit,
                                .arguments = flags.sbatch,
                                .words = task_command(flags, experiment, folder)});
  write_collection(folder);
  report_failures(end, experiment, folder);
  for (const std::size_t place : end.lost) {
    const auto log = slurm_log(experiment, folder, place);
    fmt::print(stderr, "\nCell {}, {}: its job ended before the cell was done. Last lines of {}:\n{}\n", place + 1,
               experiment.cells[place].name, log.string(), last_lines_of(log));
  }
  if (!end.lost.empty())
    fmt::print(stderr, "\n{} cells are neither done nor in the queue. The same command submits them again.\n",
               end.lost.size());
  if ((end.interrupted || flags.detach) && !end.jobs.empty())
    fmt::print(
        stderr,
        "The jobs continue without this command. The same command{} watches them again. To cancel them: scancel {}\n",
        flags.detach ? " without --detach" : "", fmt::join(end.jobs, " "));
  const bool failed = !end.failed.empty() || !end.lost.empty();
  return {end.interrupted ? exit_interrupted : failed ? exit_failure : exit_done, end.unfinished.empty()};
}

}  // namespace

CellsEnd run_cells(const SweepFlags& flags, Experiment& experiment, const SweepFolder& folder,
                   const std::vector<std::size_t>& only) {
  return (flags.engine == "slurm" ? run_on_cluster : run_here)(flags, experiment, folder, only);
}

}  // namespace cambium::cli
