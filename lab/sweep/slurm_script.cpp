#include "lab/sweep/slurm_script.hpp"

#include <fmt/format.h>

#include "base/process.hpp"

namespace cambium {
namespace {

// SLURM sends USR1, the warning before the time limit, to the script only. It sends TERM to the program as well, when
// the job is cancelled, preempted or requeued; then the script only waits until the program has saved its checkpoint. A
// program that ends by a signal (code above 128) was stopped before it handled signals; it is requeued like one that
// saved a checkpoint (code 4).
constexpr auto body = R"(
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
  echo "The time limit is near: the task is requeued and resumes from its checkpoint."
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
)";

}  // namespace

std::string slurm_script(const std::vector<std::string>& words) {
  std::string text =
      "#!/bin/sh\n"
      "# Runs one cell of an experiment, submitted by `cambium sweep`; the number of the task is that of the cell.\n"
      "# Before the time limit it saves a checkpoint and requeues itself.\n"
      "set --";
  for (const auto& word : words) text += fmt::format(" {}", shell_word(word));
  return text + body;
}

}  // namespace cambium
