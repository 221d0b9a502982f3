#include "lab/sweep/slurm_queue.hpp"

#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace cambium {
namespace {

// Seconds between SLURM's warning and the time limit, for the checkpoint of the cell. SLURM may warn a minute earlier.
constexpr int warning_seconds = 120;

CommandResult ask_slurm(const std::vector<std::string>& words, const std::string& input = {}) {
  try {
    return run_command(words, {.input = input});
  } catch (const ProgramNotFound& error) {
    throw_environment_error(
        "{}. --engine slurm needs SLURM's client programs. Run it on a machine that submits jobs to your cluster, or "
        "without --engine to run the cells on this machine.",
        error.what());
  }
}

std::string trimmed_end(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

// In the name of an output file, SLURM replaces %a by the number of the task and %% by a percent sign.
std::string output_pattern(const std::filesystem::path& output) {
  std::string pattern;
  for (const char letter : output.string()) pattern += letter == '%' ? "%%" : std::string(1, letter);
  return pattern + "%a.log";
}

// Whether an error message of SLURM is about the controller or the network, not about the arguments.
bool is_unreachable(const std::string& words) {
  for (const auto* sign : {"contact slurm controller", "Unable to contact", "Socket timed out", "Connection refused",
                           "Zero Bytes were transmitted", "authentication", "Munge"})
    if (words.find(sign) != std::string::npos) return true;
  return false;
}

[[noreturn]] void throw_unreachable(const std::string& program, const std::string& words) {
  throw_environment_error(
      "{} could not reach SLURM's controller:\n{}\nCheck with `sinfo` whether the cluster is up, then repeat the "
      "command. Jobs that were submitted are not affected.",
      program, words);
}

}  // namespace

SlurmJob submit(const SlurmArray& array) {
  std::string indices = array_indices(array.numbers);
  if (array.at_a_time > 0) indices += fmt::format("%{}", array.at_a_time);
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--job-name=" + array.name,
                                 "--array=" + indices,
                                 "--time=" + array.time_limit,
                                 "--requeue",
                                 "--open-mode=append",
                                 "--output=" + output_pattern(array.output),
                                 fmt::format("--signal=B:USR1@{}", warning_seconds)};
  if (!array.after.empty()) words.push_back(fmt::format("--dependency=afterany:{}", fmt::join(array.after, ":")));
  words.insert(words.end(), array.arguments.begin(), array.arguments.end());
  const auto end = ask_slurm(words, array.script);
  const auto errors = trimmed_end(end.errors);
  if (end.exit_code != 0 && is_unreachable(errors)) throw_unreachable("sbatch", errors);
  if (end.exit_code != 0)
    throw_input_error(
        "sbatch rejects {} cells (--array={}):\n{}\nPass the options that your cluster needs with --sbatch and "
        "--time-limit, such as --sbatch=--partition=NAME. `scontrol show config` shows the largest array, "
        "MaxArraySize.",
        array.numbers.size(), indices, errors);
  if (!errors.empty()) spdlog::warn("{}", errors);
  return parse_submission(end.output);
}

std::vector<SlurmTask> tasks_in_queue(const std::string& name) {
  const auto end = ask_slurm({"squeue", "--name=" + name, "--array", "--noheader", "--format=%F %K %T"});
  if (end.exit_code != 0) throw_unreachable("squeue", trimmed_end(end.errors));
  return parse_queue(end.output);
}

std::string slurm_name(const std::string& text) {
  std::string name;
  for (const char letter : text)
    name += std::isalnum(static_cast<unsigned char>(letter)) || letter == '.' || letter == '-' ? letter : '_';
  return name;
}

std::string array_indices(const std::vector<std::size_t>& numbers) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    parts.push_back(last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}-{}", numbers[i], numbers[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

// The format is JOB or JOB;CLUSTER.
SlurmJob parse_submission(const std::string& text) {
  const auto line = trimmed_end(text);
  SlurmJob job = 0;
  if (!parse_number(line.substr(0, line.find(';')), job) || job == 0 || line.find('\n') != std::string::npos)
    throw_environment_error(
        "sbatch printed '{}' instead of a job number. Check with squeue whether the job exists before you try again.",
        line);
  return job;
}

// The format of a line is JOB NUMBER STATE. By default, squeue lists only jobs that have not ended.
std::vector<SlurmTask> parse_queue(const std::string& text) {
  std::vector<SlurmTask> tasks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string job, number, state, rest;
    SlurmTask task;
    if (!(words >> job >> number >> state) || words >> rest || !parse_number(job, task.job) ||
        !parse_number(number, task.number) || task.job == 0)
      throw_environment_error("squeue printed a line that cannot be parsed: '{}'", line);
    using enum SlurmTask::State;
    const auto is = [&](std::initializer_list<const char*> states) {
      return std::find(states.begin(), states.end(), state) != states.end();
    };
    task.state = is({"COMPLETING"})                                                                 ? ending
                 : is({"RUNNING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "CONFIGURING"}) ? running
                                                                                                    : queued;
    tasks.push_back(task);
  }
  return tasks;
}

}  // namespace cambium
