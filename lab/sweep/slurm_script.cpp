#include "lab/sweep/slurm_script.hpp"

#include <fmt/format.h>

#include "base/process.hpp"

namespace cambium {
namespace {

// USR1 is SLURM's warning, which only the script gets. TERM comes to the program as well, when the job is cancelled,
// preempted or requeued: then SLURM knows what to do next, and the script has only to outlive the checkpoint.
// The program's own end by a signal is one of being stopped, too, in its first moments.
constexpr auto around = R"(
child=
time_is_up=no
trap : TERM
trap 'time_is_up=yes; test -z "$child" || kill -TERM "$child"' USR1
"$@" "$SLURM_ARRAY_TASK_ID" &
child=$!
while
  wait "$child"
  code=$?
  test "$code" -gt 128 && kill -0 "$child" 2>/dev/null
do :; done
if test "$time_is_up" = yes && { test "$code" -eq 4 || test "$code" -gt 128; }; then
  echo "The time limit is near; the cell goes on from its checkpoint, in a new turn."
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
)";

}  // namespace

std::string slurm_script(const std::vector<std::string>& words) {
  std::string text =
      "#!/bin/sh\n"
      "# One cell of an experiment, submitted by `cambium sweep`: its number is that of the task. Before the time "
      "limit\n"
      "# it saves a checkpoint and goes back into the queue.\n"
      "set --";
  for (const auto& word : words) text += fmt::format(" {}", shell_word(word));
  return text + around;
}

}  // namespace cambium
