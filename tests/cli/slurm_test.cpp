// cambium sweep --engine slurm, on a real cluster of one node.

#include <gmock/gmock.h>

#include "tests/cli/slurm_cluster.hpp"
#include "tests/cli/sweep_command.hpp"

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace {

using std::filesystem::exists;

constexpr auto brief = R"(
[all]
stream = "fashion-mnist"
hidden = "16"
batch = 2000
seeds = "1..2"
epochs = 2
cycles = 2
[[cells]]
method = "dense"
[[cells]]
method = "grow"
compactness = 0.25
)";

// One cell that trains for one or two seconds.
constexpr auto long_cell = R"(
[[cells]]
stream = "fashion-mnist"
hidden = "16"
batch = 2000
seeds = "1..2"
epochs = 16
cycles = 2
)";

class Slurm : public SweepCommand {
 protected:
  void SetUp() override {
    SweepCommand::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (const auto obstacle = SlurmCluster::obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
    cluster_ = std::make_unique<SlurmCluster>();
  }

  std::string cluster_command(const std::string& flags, const std::string& out) const {
    return cluster_->on(sweep_command("--engine slurm " + flags, out));
  }
  Ended cluster_sweep(const std::string& flags, const std::string& out) const {
    return run_program(cluster_command(flags, out));
  }
  std::string output_of(const std::string& command) const {
    const auto ended = run_program(cluster_->on(command));
    EXPECT_EQ(ended.code, 0) << ended.errors;
    return ended.output;
  }
  std::string queue() const { return output_of("squeue --noheader --array --format=%F_%K:%T"); }
  // The number of the only job in the queue.
  std::string job() const {
    const auto jobs = output_of("squeue --noheader --format=%F");
    return jobs.substr(0, jobs.find('\n'));
  }

  template <class Condition>
  static void wait_until(Condition condition) {
    for (int i = 0; i < 12000; ++i) {
      if (condition()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "the condition was not met within two minutes";
  }

  // Submits the long cell and waits until its first epoch is done.
  void start_long_cell(const std::string& flags) {
    write(long_cell);
    long_cell_ = at("out") / "cells" / planned_cells().at(0);
    const auto ended = cluster_sweep("--detach " + flags, "out");
    ASSERT_EQ(ended.code, 0) << ended.errors;
    wait_until([&] { return exists(long_cell_) && !read_whole(long_cell_ / "metrics.jsonl").empty(); });
  }

  // Expects that the job resumes by itself from its checkpoint and ends with the bytes of an uninterrupted run.
  void expect_resumed_with_the_same_bytes() const {
    const auto ended = cluster_sweep("", "out");
    ASSERT_EQ(ended.code, 0) << ended.errors;
    EXPECT_THAT(ended.errors, Not(HasSubstr("Submitted")));
    ASSERT_EQ(sweep("", "here").code, 0);
    expect_same("here", "out");
    std::vector<std::size_t> begins;
    for (const auto& line : lines_of(long_cell_ / "sessions.jsonl"))
      if (line.contains("began")) begins.push_back(line.at("at_step"));
    ASSERT_GE(begins.size(), 2u);
    EXPECT_GT(begins.back(), 0u);
  }

  // The process that trains the long cell.
  pid_t long_cell_process() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc"))
      if (text_of(entry.path() / "cmdline").find(std::string("train") + '\0' + "--out" + '\0' + long_cell_.string()) !=
          std::string::npos)
        return std::stoi(entry.path().filename().string());
    return 0;
  }
  // Whether a signal is in a set of /proc/PID/status: SigCgt: (caught) or ShdPnd: (pending).
  static bool signal_is(const std::string& set_name, pid_t process, int number) {
    std::istringstream status(text_of("/proc/" + std::to_string(process) + "/status"));
    for (std::string word; status >> word;)
      if (std::uint64_t set = 0; word == set_name && status >> std::hex >> set) return (set >> (number - 1) & 1) != 0;
    return false;
  }

  std::unique_ptr<SlurmCluster> cluster_;
  std::filesystem::path long_cell_;
};

using SlurmMissing = SweepCommand;

}  // namespace

TEST_F(Slurm, GivesTheSameBytesAsALocalSweep) {
  write(brief);
  ASSERT_EQ(sweep("", "here").code, 0);
  // The name of the folder contains characters that sbatch would replace.
  const auto ended = cluster_sweep("", "on%a,cluster");
  ASSERT_EQ(ended.code, 0) << ended.errors;
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("Submitted 2 cells"), HasSubstr("All 2 cells are done")));
  expect_same("here", "on%a,cluster");
  EXPECT_EQ(contents_of(at("on%a,cluster") / "slurm").size(), 2u);
  EXPECT_THAT(cluster_sweep("", "on%a,cluster").errors, AllOf(Not(HasSubstr("Submitted")), HasSubstr("All 2 cells")));
}

TEST_F(Slurm, DetachedAndWatchedAgainSubmitsNoCellTwice) {
  write(brief);
  const auto left = cluster_sweep("--detach --jobs 1 --sbatch=--hold", "out");
  ASSERT_EQ(left.code, 0) << left.errors;
  EXPECT_THAT(left.errors, AllOf(HasSubstr("Submitted 2 cells"), HasSubstr("scancel " + job())));
  EXPECT_THAT(output_of("scontrol show job"), HasSubstr("ArrayTaskThrottle=1"));
  EXPECT_THAT(cluster_sweep("--detach", "out").errors, Not(HasSubstr("Submitted")));
  StartedProgram watching(cluster_command("", "out"));
  wait_until([&] { return signal_is("SigCgt:", watching.pid(), SIGINT); });
  watching.signal(SIGINT);
  const auto interrupted = watching.wait();
  EXPECT_EQ(interrupted.code, 4);
  EXPECT_THAT(interrupted.errors, HasSubstr("scancel " + job()));
  output_of("scontrol release " + job());
  const auto ended = cluster_sweep("", "out");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_EQ(lines_of(at("out") / "cells.jsonl").size(), 2u);
  for (const auto& cell : std::filesystem::directory_iterator(at("out") / "cells"))
    EXPECT_EQ(lines_of(cell.path() / "sessions.jsonl").size(), 2u) << cell.path();
}

TEST_F(Slurm, AfterACrashOfTheNodeACellResumesFromItsCheckpoint) {
  start_long_cell("--checkpoint-every 0.1");
  wait_until([&] { return exists(long_cell_ / "checkpoint.safetensors"); });
  cluster_->crash_node();
  ASSERT_FALSE(exists(long_cell_ / "result.json")) << "the cell was done too early";
  // slurmctld looks for lost jobs once, when the node registers, and ignores jobs that are younger than 11 seconds.
  std::this_thread::sleep_for(std::chrono::seconds(13));
  cluster_->start_node();
  expect_resumed_with_the_same_bytes();
}

TEST_F(Slurm, ARequeuedJobResumesFromItsCheckpoint) {
  start_long_cell("--checkpoint-every 1e6");
  output_of("scontrol requeue " + job() + "_1");
  expect_resumed_with_the_same_bytes();
}

TEST_F(Slurm, NearItsTimeLimitACellSavesACheckpointAndIsRequeued) {
  start_long_cell("--checkpoint-every 1e6 --time-limit 1 --sbatch=--signal=B:USR1@50");
  // The signal arrives within half a minute; the cell is stopped so that it is not done before.
  const pid_t process = long_cell_process();
  ASSERT_GT(process, 0) << "the cell was done too early";
  kill(process, SIGSTOP);
  wait_until([&] { return signal_is("ShdPnd:", process, SIGTERM); });
  kill(process, SIGCONT);
  expect_resumed_with_the_same_bytes();
  EXPECT_THAT(text_of(*std::filesystem::directory_iterator(at("out") / "slurm")), HasSubstr("The time limit is near"));
}

TEST_F(Slurm, AFailedCellIsReportedAndRunsAgainOnlyWithRetry) {
  write(brief);
  const auto name = planned_cells().at(1);
  const auto blocked_folder = at("out") / "cells" / name;
  std::filesystem::create_directories(blocked_folder);
  std::ofstream(blocked_folder / "notes.txt") << "mine";
  const auto failed = cluster_sweep("", "out");
  EXPECT_EQ(failed.code, 3);
  EXPECT_THAT(failed.errors, AllOf(HasSubstr(name), HasSubstr("notes.txt"), HasSubstr("--retry")));
  EXPECT_EQ(lines_of(at("out") / "cells.jsonl").size(), 1u);
  std::filesystem::remove_all(blocked_folder);
  const auto still = cluster_sweep("", "out");
  EXPECT_EQ(still.code, 3);
  EXPECT_THAT(still.errors, AllOf(Not(HasSubstr("Submitted")), HasSubstr("notes.txt")));
  // A refused submission keeps the record of the failure.
  EXPECT_EQ(cluster_sweep("--retry --sbatch=--partition=none", "out").code, 2);
  EXPECT_EQ(cluster_sweep("", "out").code, 3);
  EXPECT_EQ(cluster_sweep("--retry", "out").code, 0);
  EXPECT_EQ(lines_of(at("out") / "cells.jsonl").size(), 2u);
}

TEST_F(Slurm, DetachedItSelectsTheBestCandidate) {
  write(selecting);
  ASSERT_EQ(sweep("", "here").code, 0);
  const auto left = cluster_sweep("--detach", "out");
  ASSERT_EQ(left.code, 0) << left.errors;
  EXPECT_THAT(output_of("squeue --noheader --format=%E"), HasSubstr("afterany:"));
  wait_until([&] { return queue().empty(); });
  expect_same("here", "out");
  EXPECT_EQ(lines_of(at("out") / "cells.jsonl").size(), 3u);
  EXPECT_EQ(cluster_sweep("", "out").code, 0);
}

TEST_F(Slurm, CancelledCellsAreSubmittedAgain) {
  write(brief);
  // Cancelled while the command watches.
  StartedProgram watching(cluster_command("--sbatch=--hold", "out"));
  wait_until([&] { return !queue().empty(); });
  output_of("scancel " + job());
  const auto lost = watching.wait();
  EXPECT_EQ(lost.code, 3);
  EXPECT_THAT(lost.errors, HasSubstr("The same command submits them again"));
  // Cancelled while the cell trains and no command watches; its job is still in the queue.
  cluster_->let_jobs_linger(3);
  ASSERT_EQ(cluster_sweep("--detach", "out").code, 0);
  wait_until([&] { return queue().find("RUNNING") != std::string::npos; });
  output_of("scancel " + job());
  const auto ended = cluster_sweep("", "out");
  EXPECT_EQ(ended.code, 0) << ended.errors;
  EXPECT_EQ(lines_of(at("out") / "cells.jsonl").size(), 2u);
}

TEST_F(Slurm, ErrorsOfSlurmAreReported) {
  write(brief);
  const auto refused = cluster_sweep("--sbatch=--partition=none", "out");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("invalid partition specified: none"), HasSubstr("--sbatch")));
  cluster_->stop_controller();
  const auto silent = cluster_sweep("", "out");
  EXPECT_EQ(silent.code, 3);
  EXPECT_THAT(silent.errors, AllOf(HasSubstr("Unable to contact slurm controller"), HasSubstr("sinfo")));
}

// Kills tasks, cells and the watching command.
TEST_F(Slurm, KilledAtRandomEndsWithTheSameBytes) {
  write(brief);
  ASSERT_EQ(sweep("", "straight").code, 0);
  expect_same_after_kills(
      number_of_kills(6), [&](const std::string& out) { return cluster_command("--checkpoint-every 0.2", out); },
      "straight");
}

TEST_F(SlurmMissing, MissingProgramsAndWrongOptionsAreReported) {
  write(brief);
  const auto none = run_program("env PATH=/nowhere " + sweep_command("--engine slurm", "out"));
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.errors, AllOf(HasSubstr("no such program on the PATH"), HasSubstr("SLURM's client programs")));
  EXPECT_THAT(sweep("--engine clouds", "out").errors, HasSubstr("local and slurm"));
  EXPECT_THAT(sweep("--detach", "out").errors, HasSubstr("needs --engine slurm"));
}
