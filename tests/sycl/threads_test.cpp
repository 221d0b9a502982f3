// The same bits whatever the number of threads.

#include <gtest/gtest.h>
#include <sched.h>

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

}  // namespace
