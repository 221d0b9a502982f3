// The same bits whatever the number of threads, and of other processes.

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "tests/process_test.hpp"

namespace {

TEST(Threads, DoNotChangeABitOfAnyBackendsResults) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "this machine has one core";
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  const auto many = run_program(FINGERPRINT_PROGRAM);
  const auto one = run_program("taskset -c " + std::to_string(first) + " " FINGERPRINT_PROGRAM);
  ASSERT_EQ(many.code, 0) << many.errors;
  ASSERT_EQ(one.code, 0) << one.errors;
  EXPECT_FALSE(many.output.empty());
  EXPECT_EQ(many.output, one.output);
}

TEST(Processes, MayFillTheSameKernelCacheAtOnce) {
  const auto folder = std::filesystem::temp_directory_path() / ("cambium-crowd-" + std::to_string(getpid()));
  const auto program = "CAMBIUM_CACHE_DIR=" + folder.string() + " " FINGERPRINT_PROGRAM;
  const auto alone = run_program(FINGERPRINT_PROGRAM);
  const auto crowd = run_program(program + " & " + program + " & " + program + " & wait");
  const auto after = run_program(program);
  EXPECT_EQ(crowd.errors, "");
  EXPECT_EQ(after.output, alone.output);
  // Lines of the three come in any order, but each exactly three times.
  std::map<std::string, int> lines;
  std::istringstream stream(crowd.output);
  for (std::string line; std::getline(stream, line);) ++lines[line];
  for (const auto& [line, count] : lines) EXPECT_EQ(count, 3) << line;
  std::istringstream expected(alone.output);
  for (std::string line; std::getline(expected, line);) EXPECT_EQ(lines[line], 3) << line;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    EXPECT_NE(file.path().extension(), ".part") << file.path();
  std::filesystem::remove_all(folder);
}

}  // namespace
