// Runs every conformance check as a test, on the default device.

#include "selftest/conformance.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

std::vector<conformance::Check> checks_of_test_device() {
  const auto devices = list_devices();
  return conformance::checks(choose_device(devices, test_device_name()));
}

class Conformance : public testing::TestWithParam<conformance::Check> {};

TEST_P(Conformance, AgreesWithDoublePrecision) {
  const auto result = GetParam().run(shared_device(), {});
  EXPECT_GT(result.cases, 0);
  EXPECT_LE(result.largest_error, result.tolerance) << result.worst;
}

INSTANTIATE_TEST_SUITE_P(Checks, Conformance, testing::ValuesIn(checks_of_test_device()), [](const auto& check) {
  std::string name = check.param.operation + "_" + check.param.backend;
  std::erase_if(name, [](char c) { return c != '_' && !std::isalnum(c); });
  return name;
});

// Without seeds, a check only chooses backends and kernels.
TEST_P(Conformance, ChecksLeaveTheSettingsOfTheDeviceUnchanged) {
  auto& device = shared_device();
  const std::string gemm(device.gemm().name()), convolution(device.convolution().name());
  const auto kernels = device.portable_kernels();
  GetParam().run(device, {.seeds = {}});
  EXPECT_EQ(device.gemm().name(), gemm);
  EXPECT_EQ(device.convolution().name(), convolution);
  EXPECT_EQ(device.portable_kernels(), kernels);
}

// One wrong element must be enough to fail.
TEST(ConformanceOutcome, FailsForASingleWrongElement) {
  conformance::CheckResult result{.cases = 1, .tolerance = 1e-6};
  for (int i = 0; i < 1000; ++i) result.record(1.0, 1.0, 1.0, "right");
  EXPECT_TRUE(result.passed());
  result.record(1.0 + 1e-5, 1.0, 1.0, "wrong");
  EXPECT_FALSE(result.passed());
  EXPECT_EQ(result.worst, "wrong");
}

TEST(ConformanceOutcome, FailsForNotANumber) {
  conformance::CheckResult result{.cases = 1, .tolerance = 1e-6};
  result.record(std::nan(""), 1.0, 1.0, "nan");
  EXPECT_FALSE(result.passed());
}

TEST(ConformanceOutcome, FailsWhenNothingWasChecked) { EXPECT_FALSE(conformance::CheckResult{}.passed()); }

}  // namespace
}  // namespace cambium
