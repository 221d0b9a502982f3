#include "lab/sweep/slurm_queue.hpp"

#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "base/process.hpp"
#include "lab/config/config_reader.hpp"

namespace cambium {
namespace {

// Seconds from SLURM's warning to the time limit, in which a cell saves its checkpoint. SLURM may be a minute early.
constexpr int warning_seconds = 120;

CommandResult ask_slurm(const std::vector<std::string>& words, const std::string& input = {}) {
  try {
    return run_command(words, {.input = input});
  } catch (const ProgramNotFound& error) {
    throw_environment_error(
        "{}. --engine slurm needs SLURM's client programs: start it where you submit jobs to your cluster, or without "
        "--engine to run the cells here.",
        error.what());
  }
}

std::string without_end(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

// A percent sign means something in the name of an output file.
std::string output_pattern(const std::filesystem::path& output) {
  std::string pattern;
  for (const char letter : output.string()) pattern += letter == '%' ? "%%" : std::string(1, letter);
  return pattern + "%a.log";
}

// Words of SLURM that tell of the controller, or the way to it, rather than of what was asked.
bool is_out_of_reach(const std::string& words) {
  for (const auto* sign : {"contact slurm controller", "Unable to contact", "Socket timed out", "Connection refused",
                           "Zero Bytes were transmitted", "authentication", "Munge"})
    if (words.find(sign) != std::string::npos) return true;
  return false;
}

[[noreturn]] void out_of_reach(const std::string& program, const std::string& words) {
  throw_environment_error(
      "{} could not reach SLURM's controller:\n{}\nLook with `sinfo` whether the cluster is up. The same command goes "
      "on "
      "from here; jobs that were submitted go on without it.",
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
  const auto errors = without_end(end.errors);
  if (end.exit_code != 0 && is_out_of_reach(errors)) out_of_reach("sbatch", errors);
  if (end.exit_code != 0)
    throw_input_error(
        "sbatch refuses {} cells (--array={}):\n{}\nWhat the cluster wants is given to sbatch with --sbatch and "
        "--time-limit, such as --sbatch=--partition=NAME. `scontrol show config` names the largest array, "
        "MaxArraySize.",
        array.numbers.size(), indices, errors);
  if (!errors.empty()) spdlog::warn("{}", errors);
  return parse_submission(end.output);
}

std::vector<SlurmTask> tasks_in_queue(const std::string& name) {
  const auto end = ask_slurm({"squeue", "--name=" + name, "--array", "--noheader", "--format=%F %K %T"});
  if (end.exit_code != 0) out_of_reach("squeue", without_end(end.errors));
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

// JOB, or JOB;CLUSTER.
SlurmJob parse_submission(const std::string& text) {
  const auto line = without_end(text);
  SlurmJob job = 0;
  if (!parse_number(line.substr(0, line.find(';')), job) || job == 0 || line.find('\n') != std::string::npos)
    throw_environment_error(
        "sbatch answered what is no number of a job: '{}'. Look with squeue whether there is one before trying again.",
        line);
  return job;
}

// A line each: JOB NUMBER STATE. Without being asked, squeue lists only what is not over.
std::vector<SlurmTask> parse_queue(const std::string& text) {
  std::vector<SlurmTask> tasks;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string job, number, state, rest;
    SlurmTask task;
    if (!(words >> job >> number >> state) || words >> rest || !parse_number(job, task.job) ||
        !parse_number(number, task.number) || task.job == 0)
      throw_environment_error("squeue answered what cannot be understood: '{}'", line);
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
