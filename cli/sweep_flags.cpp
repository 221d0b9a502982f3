#include "cli/sweep_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "lab/experiment/collection.hpp"
#include "lab/sweep/cell_process.hpp"
#include "lab/sweep/slurm_sweep.hpp"
#include "lab/sweep/sweep.hpp"

namespace cambium::cli {
namespace {

constexpr auto default_time_limit = "24:00:00";

std::vector<std::string> train_flags(const SweepFlags& flags) {
  std::vector<std::string> words{fmt::format("--checkpoint-every={}", flags.checkpoint_seconds)};
  // A job may start in another folder.
  for (const auto& folder : flags.data_folders)
    words.push_back("--data-dir=" + std::filesystem::absolute(folder).string());
  if (flags.no_cache) words.push_back("--no-cache");
  if (flags.tensorboard) words.push_back("--tensorboard");
  if (!flags.graph.empty()) words.push_back("--graph=" + flags.graph);
  return words;
}

// A sweep of one cell: this program with the experiment as it was kept, whose file nobody changes.
std::vector<std::string> task_words(const SweepFlags& flags, const Experiment& experiment, const SweepFolder& folder) {
  const auto path = std::filesystem::canonical(folder.path());
  const std::string scale = name_of(experiment.scale);
  std::vector<std::string> words{own_program().string(),
                                 "sweep",
                                 (path / "experiments" / scale / (experiment.name + ".toml")).string(),
                                 "--scale=" + scale,
                                 "--out=" + path.string(),
                                 "--engine=local"};
  for (auto& word : train_flags(flags)) words.push_back(std::move(word));
  if (!flags.devices.empty()) words.push_back(fmt::format("--device={}", fmt::join(flags.devices, ",")));
  words.push_back("--only");
  return words;
}

void report_failures(const SweepEnd& end, const Experiment& experiment, const SweepFolder& folder) {
  for (const std::size_t place : end.failed) {
    const auto& name = experiment.cells[place].name;
    const auto failure = folder.failure(name).value_or(Failure{});
    fmt::print(stderr, "\nCell {}, {}, failed. The end of {}:\n{}\n", place + 1, name, folder.log(name).string(),
               failure.log_tail);
  }
  if (!end.failed.empty())
    fmt::print(stderr, "\n{} cells failed. When the cause is mended: the same command with --retry.\n",
               end.failed.size());
}

CellsEnd run_here(const SweepFlags& flags, Experiment& experiment, const SweepFolder& folder,
                  const std::vector<std::size_t>& only) {
  // A wrong name is told now, and not by every cell.
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
    fmt::print(stderr, "Interrupted; everything so far is in {}. The same command goes on from there.\n",
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
                                .time_limit = flags.time_limit.empty() ? default_time_limit : flags.time_limit,
                                .arguments = flags.sbatch,
                                .words = task_words(flags, experiment, folder)});
  write_collection(folder);
  report_failures(end, experiment, folder);
  for (const std::size_t place : end.lost) {
    const auto log = slurm_log(experiment, folder, place);
    fmt::print(stderr, "\nCell {}, {}, was not finished by its job. The end of {}:\n{}\n", place + 1,
               experiment.cells[place].name, log.string(), last_lines_of(log));
  }
  if (!end.lost.empty())
    fmt::print(stderr, "\n{} cells are neither done nor in the queue any more. The same command submits them again.\n",
               end.lost.size());
  if ((end.interrupted || flags.detach) && !end.jobs.empty())
    fmt::print(stderr,
               "The jobs go on without this command; the same one comes back to them{}. To end them: scancel {}\n",
               flags.detach ? ", without --detach to watch" : "", fmt::join(end.jobs, " "));
  const bool failed = !end.failed.empty() || !end.lost.empty();
  return {end.interrupted ? exit_interrupted : failed ? exit_failure : exit_done, end.unfinished.empty()};
}

void add_cluster_flags(CLI::App& command, SweepFlags& flags) {
  command
      .add_option("--engine", flags.engine,
                  "Where cells run. local: here; slurm: on the cluster, a task of a job array for each, submitted with "
                  "sbatch")
      ->type_name("local|slurm")
      ->capture_default_str();
  command.add_flag("--detach", flags.detach, "With slurm: submit and return. The same command comes back to the jobs");
  command
      .add_option("--time-limit", flags.time_limit,
                  fmt::format("With slurm: the longest a cell runs at a stretch, as sbatch's --time; then it goes on "
                              "from a checkpoint in a new turn. Default: {}",
                              default_time_limit))
      ->type_name("TIME");
  command
      .add_option("--sbatch", flags.sbatch,
                  "With slurm: a further argument of sbatch, such as --sbatch=--partition=gpu. May be repeated")
      ->type_name("ARGUMENT")
      ->allow_extra_args(false);
}

}  // namespace

void add_sweep_flags(CLI::App& command, SweepFlags& flags) {
  command
      .add_option(
          "--jobs", flags.jobs,
          "Cells at a time. Default: one per device, which uses the whole device already; on a cluster, as many as it "
          "lets")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command.add_flag("--retry", flags.retry, "Try cells again that have failed");
  add_data_folders_flag(command, flags.data_folders);
  command
      .add_option(
          "--device", flags.devices,
          "Device, as `cambium devices` lists them, or a part of one (0.1); several, separated by commas: each cell "
          "runs on the next free one")
      ->delimiter(',')
      ->type_name("NAME[,NAME...]");
  command.add_option("--graph", flags.graph, "Submit training steps as recorded SYCL graphs, as `cambium train` does")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->option_text("auto|on|off");
  command.add_flag("--no-cache", flags.no_cache, "Compile all kernels anew and keep none on disk");
  command.add_option("--checkpoint-every", flags.checkpoint_seconds, "Seconds between checkpoints of a cell")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  command.add_flag("--tensorboard", flags.tensorboard, "Also write the cells' curves as event files for TensorBoard");
  add_cluster_flags(command, flags);
}

void check(const SweepFlags& flags) {
  if (flags.engine == "slurm") return;
  if (flags.engine != "local") throw_input_error("--engine {}: there are local and slurm", flags.engine);
  for (const auto& [flag, given] : {std::pair("--detach", flags.detach), std::pair("--sbatch", !flags.sbatch.empty()),
                                    std::pair("--time-limit", !flags.time_limit.empty())})
    if (given) throw_input_error("{} is for cells on a cluster: it needs --engine slurm", flag);
}

CellsEnd run_cells(const SweepFlags& flags, Experiment& experiment, const SweepFolder& folder,
                   const std::vector<std::size_t>& only) {
  return (flags.engine == "slurm" ? run_on_cluster : run_here)(flags, experiment, folder, only);
}

}  // namespace cambium::cli
