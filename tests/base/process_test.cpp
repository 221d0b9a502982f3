// Child processes and locks.

#include "base/process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "base/file.hpp"
#include "base/lock.hpp"
#include "tests/base/temporary_folder.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_files::TemporaryFolder;
using testing_files::text_of;

TEST(Command, ReturnsItsOutputErrorsAndExitCode) {
  const auto result = run_command({"sh", "-c", "cat; echo bad >&2; exit 5"}, {.input = "good"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.output, "good");
  EXPECT_EQ(result.errors, "bad\n");
}

TEST(Command, ASignalIsAnExitCodeAsInAShell) { EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}).exit_code, 137); }

TEST(Command, MayWriteMoreThanAPipeHolds) {
  EXPECT_EQ(run_command({"sh", "-c", "head -c 3000000 /dev/zero"}).output.size(), 3000000u);
}

TEST(Command, RunsInTheFolderThatIsNamed) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_command({"pwd"}, {.folder = folder.path()}).output,
            std::filesystem::canonical(folder.path()).string() + "\n");
  EXPECT_THROW(run_command({"pwd"}, {.folder = folder / "missing"}), InputError);
}

TEST(Command, AMissingProgramIsNamed) {
  EXPECT_THAT([] { run_command({"no-such-program"}); },
              ThrowsMessage<ProgramNotFound>(AllOf(HasSubstr("no-such-program"), HasSubstr("PATH"))));
}

TEST(Command, AFileThatIsNoProgramIsAnEnvironmentErrorWithTheCause) {
  EXPECT_THAT([] { run_command({"/dev/null"}); },
              ThrowsMessage<EnvironmentError>(AllOf(HasSubstr("/dev/null"), HasSubstr("Permission denied"))));
}

TEST(Command, SignalHandlersOfTheParentAreNotThoseOfTheChild) {
  const auto before = std::signal(SIGTERM, [](int) {});
  EXPECT_EQ(run_command({"sh", "-c", "kill -TERM $$; echo still here"}).exit_code, 128 + SIGTERM);
  std::signal(SIGTERM, before);
}

TEST(ChildProcess, WritesToTheDescriptorsThatItIsGiven) {
  const TemporaryFolder folder;
  const auto log = open_file(folder / "log", O_WRONLY | O_CREAT | O_APPEND);
  auto child = ChildProcess::start({"sh", "-c", "echo one; echo two >&2"}, {.output = log.get(), .errors = log.get()});
  EXPECT_EQ(child.wait().exit_code, 0);
  EXPECT_EQ(text_of(folder / "log"), "one\ntwo\n");
}

TEST(ChildProcess, EndsBySignal) {
  auto child = ChildProcess::start({"sleep", "100"}, {});
  EXPECT_FALSE(child.poll());
  child.send(SIGTERM);
  EXPECT_EQ(child.wait().signal, SIGTERM);
  EXPECT_FALSE(child.poll());
}

TEST(ChildProcess, IsFoundAfterWaitingForAnyChild) {
  auto slow = ChildProcess::start({"sleep", "100"}, {});
  auto fast = ChildProcess::start({"sh", "-c", "exit 7"}, {});
  wait_for_any_child();
  const auto end = fast.poll();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 7);
  EXPECT_FALSE(slow.poll());
}

TEST(ChildProcess, RunsAFunction) {
  EXPECT_EQ(ChildProcess::start([] { return 42; }, {}).wait().exit_code, 42);
  EXPECT_EQ(ChildProcess::start([]() -> int { throw std::runtime_error("failed"); }, {}).wait().exit_code, 1);
}

// The middle process ends at once; its child would sleep for long.
TEST(ChildProcess, EndsWithItsParent) {
  auto pipe = make_pipe();
  auto parent = ChildProcess::start(
      [&] {
        auto child = ChildProcess::start({"sleep", "100"}, {.output = pipe.write.get()});
        _exit(0);
        return 0;
      },
      {});
  parent.wait();
  pipe.write.reset();
  char byte = 0;
  EXPECT_EQ(read(pipe.read.get(), &byte, 1), 0);  // returns when no process holds the other end
}

TEST(ChildProcess, AFailedForkIsAnEnvironmentErrorWithItsCause) {
  if (geteuid() == 0) GTEST_SKIP() << "the limit on processes does not hold for root";
  rlimit before{};
  getrlimit(RLIMIT_NPROC, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NPROC, &none);
  EXPECT_THAT([] { run_command({"true"}); },
              ThrowsMessage<EnvironmentError>(HasSubstr("Resource temporarily unavailable")));
  setrlimit(RLIMIT_NPROC, &before);
}

TEST(FileLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder;
  auto first = FileLock::try_lock(folder / "lock");
  ASSERT_TRUE(first);
  EXPECT_FALSE(FileLock::try_lock(folder / "lock"));
  first.reset();
  EXPECT_TRUE(FileLock::try_lock(folder / "lock"));
}

TEST(FileLock, StaysWithAChildThatInheritsIt) {
  const TemporaryFolder folder;
  auto lock = FileLock::try_lock(folder / "lock");
  auto child = ChildProcess::start({"sleep", "100"}, {.inherited = {lock->descriptor()}});
  lock.reset();
  EXPECT_FALSE(FileLock::try_lock(folder / "lock"));
  child.send(SIGKILL);
  child.wait();
  EXPECT_TRUE(FileLock::try_lock(folder / "lock"));
}

TEST(FileLock, AFileWithoutNameIsNotLocked) {
  const TemporaryFolder folder;
  const auto file = open_file(folder / "lock", O_RDWR | O_CREAT);
  std::filesystem::remove(folder / "lock");
  EXPECT_FALSE(try_lock(file, folder / "lock"));
}

TEST(FileLock, CannotBeMadeInAMissingFolder) {
  const TemporaryFolder folder;
  EXPECT_THROW(FileLock::try_lock(folder / "missing/lock"), InputError);
}

}  // namespace
}  // namespace cambium
