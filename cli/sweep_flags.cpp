#include "cli/sweep_flags.hpp"

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/shared_flags.hpp"

namespace cambium::cli {
namespace {

void add_cluster_flags(Command& command, SweepFlags& flags) {
  command.add_option("--engine", flags.engine,
                     "Where cells run. local: on this machine; slurm: on a cluster, each cell as a task of a job array "
                     "that sbatch submits",
                     {.value = "local|slurm", .show_default = true});
  command.add_flag("--detach", flags.detach,
                   "With slurm: submit and return. The same command without --detach watches the jobs");
  command.add_option(
      "--time-limit", flags.time_limit,
      "With slurm: time limit of a job, in the format of sbatch --time. A cell that reaches it is queued "
      "again and resumes from its checkpoint",
      {.value = "TIME", .show_default = true});
  command.add_option("--sbatch", flags.sbatch,
                     "With slurm: a further argument for sbatch, such as --sbatch=--partition=gpu; repeatable",
                     {.value = "ARGUMENT", .list = ListForm::repeated});
}

}  // namespace

void add_sweep_flags(Command& command, SweepFlags& flags) {
  command.add_option(
      "--jobs", flags.jobs, "Cells at a time",
      {.range = {{1, 1024}}, .default_text = "one per device, which a cell uses fully; with slurm, no limit"});
  command.add_flag("--retry", flags.retry, "Run failed cells again");
  add_data_folder_flag(command, flags.data_folders);
  command.add_option("--device", flags.devices,
                     "Device to use, as `cambium devices` lists it, or a part of one (0.1). With several, separated by "
                     "commas, each cell runs on the next free one",
                     {.value = "NAME[,NAME...]", .list = ListForm::commas});
  command.add_option("--graph", flags.graph, "Submit training steps as recorded SYCL graphs, as in `cambium train`",
                     {.choices = {"auto", "on", "off"}});
  command.add_flag("--no-cache", flags.no_cache,
                   "Compile all kernels again, and neither read nor write the kernel cache");
  command.add_option("--checkpoint-every", flags.checkpoint_seconds, "Seconds between two checkpoints of a cell",
                     {.value = "SECONDS", .range = {{0, 1e9}}, .show_default = true});
  command.add_flag("--tensorboard", flags.tensorboard, "Also write the cells' curves as event files for TensorBoard");
  add_cluster_flags(command, flags);
}

void check(const Command& command, const SweepFlags& flags) {
  if (flags.engine == "slurm") return;
  if (flags.engine != "local") throw_input_error("--engine {}: the engines are local and slurm", flags.engine);
  for (const auto* flag : {"--detach", "--time-limit", "--sbatch"})
    if (command.given(flag)) throw_input_error("{} is for cells on a cluster: it needs --engine slurm", flag);
}

}  // namespace cambium::cli
