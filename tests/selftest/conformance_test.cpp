// Every conformance check as a test of its own, on the default device.

#include "selftest/conformance.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/shared_device.hpp"

namespace cambium {
namespace {

std::vector<conformance::Check> checks_of_test_device() {
  const auto devices = list_devices();
  return conformance::checks(choose_device(devices, test_device_name()));
}

class Conformance : public testing::TestWithParam<conformance::Check> {};

TEST_P(Conformance, AgreesWithDoublePrecision) {
  const auto outcome = GetParam().run(shared_device(), {});
  EXPECT_GT(outcome.cases, 0);
  EXPECT_LE(outcome.largest_error, outcome.tolerance) << outcome.worst;
}

INSTANTIATE_TEST_SUITE_P(Checks, Conformance, testing::ValuesIn(checks_of_test_device()), [](const auto& check) {
  std::string name = check.param.operation + "_" + check.param.backend;
  std::erase_if(name, [](char c) { return c != '_' && !std::isalnum(c); });
  return name;
});

// The checks themselves: one wrong element must be enough to fail.
TEST(ConformanceOutcome, FailsForASingleWrongElement) {
  conformance::Outcome outcome{.cases = 1, .tolerance = 1e-6};
  for (int i = 0; i < 1000; ++i) outcome.record(1.0, 1.0, 1.0, "right");
  EXPECT_TRUE(outcome.passed());
  outcome.record(1.0 + 1e-5, 1.0, 1.0, "wrong");
  EXPECT_FALSE(outcome.passed());
  EXPECT_EQ(outcome.worst, "wrong");
}

TEST(ConformanceOutcome, FailsForNotANumber) {
  conformance::Outcome outcome{.cases = 1, .tolerance = 1e-6};
  outcome.record(std::nan(""), 1.0, 1.0, "nan");
  EXPECT_FALSE(outcome.passed());
}

TEST(ConformanceOutcome, FailsWhenNothingWasChecked) { EXPECT_FALSE(conformance::Outcome{}.passed()); }

}  // namespace
}  // namespace cambium
