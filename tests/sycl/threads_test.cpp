// Results have the same bits for any number of threads and of other processes.

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/run_program.hpp"

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
  const auto program = "CAMBIUM_CACHE_DIR=" + (folder / "cache").string() + " " FINGERPRINT_PROGRAM;
  std::filesystem::create_directories(folder);
  const auto alone = run_program(FINGERPRINT_PROGRAM);
  ASSERT_EQ(alone.code, 0) << alone.errors;
  std::string together;
  for (const auto* name : {"a", "b", "c"}) together += program + " >" + (folder / name).string() + " & ";
  EXPECT_EQ(run_program(together + "wait").errors, "");
  for (const auto* name : {"a", "b", "c"}) {
    std::ifstream file(folder / name);
    EXPECT_EQ(std::string((std::istreambuf_iterator<char>(file)), {}), alone.output);
  }
  EXPECT_EQ(run_program(program).output, alone.output) << "from the cache that they filled";
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    EXPECT_NE(file.path().extension(), ".part") << file.path();
  std::filesystem::remove_all(folder);
}

}  // namespace
