#include "sycl/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"
#include "sycl/runtime.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

DeviceInfo made_up(int index, const std::string& backend, const std::string& type, int ordinal) {
  DeviceInfo info;
  info.index = index;
  info.backend = backend;
  info.type = type;
  info.ordinal = ordinal;
  info.name = fmt::format("device {}", index);
  return info;
}

class ChoosingADevice : public testing::Test {
 protected:
  std::vector<DeviceInfo> devices{made_up(0, "opencl", "cpu", 0), made_up(1, "level_zero", "gpu", 0),
                                  made_up(2, "level_zero", "gpu", 1), made_up(3, "cuda", "gpu", 0)};
};

TEST_F(ChoosingADevice, AcceptsIndexTypeAndSelector) {
  EXPECT_EQ(choose_device(devices, "3").index, 3);
  EXPECT_EQ(choose_device(devices, "cpu").index, 0);
  EXPECT_EQ(choose_device(devices, "gpu").index, 1);
  EXPECT_EQ(choose_device(devices, "gpu:1").index, 2);
  EXPECT_EQ(choose_device(devices, "cuda:gpu").index, 3);
  EXPECT_EQ(choose_device(devices, "level_zero:gpu:1").index, 2);
  EXPECT_EQ(choose_device(devices, "*:gpu:1").index, 2);
  for (const auto& device : devices) EXPECT_EQ(&choose_device(devices, device.selector()), &device);
}

TEST_F(ChoosingADevice, RefusesAnUnknownDeviceAndListsTheKnownOnes) {
  for (const auto* request :
       {"4", "-1", "hip:gpu", "cpu:1", "fpga", "level_zero:gpu:2", "a:b:c:d", "::", ":", "nosuch"})
    EXPECT_THAT([&] { choose_device(devices, request); },
                ThrowsMessage<InputError>(
                    testing::AllOf(HasSubstr(request), HasSubstr("opencl:cpu:0"), HasSubstr("cuda:gpu:0"))))
        << request;
}

TEST_F(ChoosingADevice, DoesNotFallBackFromAnUnusableDevice) {
  devices[3].unusable = "no compiler for it";
  EXPECT_THAT([&] { choose_device(devices, "cuda:gpu"); }, ThrowsMessage<InputError>(HasSubstr("no compiler for it")));
}

TEST_F(ChoosingADevice, PrefersAUsableDeviceOfTheRequestedType) {
  devices[1].unusable = "no compiler for it";
  EXPECT_EQ(choose_device(devices, "gpu").index, 2);
  EXPECT_THROW(choose_device(devices, "1"), InputError);
}

TEST_F(ChoosingADevice, AcceptsAPartOfANameThatMatchesOneDevice) {
  devices[0].platform = "Portable Computing Language, OpenCL 3.0 PoCL 7.1";
  devices[1].vendor = "Intel(R) Corporation";
  EXPECT_EQ(choose_device(devices, "pocl").index, 0);
  EXPECT_EQ(choose_device(devices, "INTEL").index, 1);
  EXPECT_EQ(choose_device(devices, "device 2").index, 2);
}

TEST_F(ChoosingADevice, RefusesAPartOfANameThatMatchesSeveralDevices) {
  devices[0].vendor = devices[3].vendor = "Maker";
  EXPECT_THAT([&] { choose_device(devices, "maker"); },
              ThrowsMessage<InputError>(testing::AllOf(HasSubstr("several"), HasSubstr("opencl:cpu:0"),
                                                       HasSubstr("cuda:gpu:0"), Not(HasSubstr("level_zero")))));
  devices[0].unusable = "no compiler for it";
  EXPECT_EQ(choose_device(devices, "maker").index, 3);
}

// Two runtimes of one processor.
class TwoCpus : public testing::Test {
 protected:
  TwoCpus() {
    for (auto& cpu : cpus) {
      cpu.compute_units = 8;
      cpu.gemm = {{"native", ""}, {"portable", ""}};
      cpu.convolution = {{"onednn", ""}, {"portable", ""}};
    }
    // The one without oneDNN claims to be the faster one, as PoCL does.
    cpus[0].clock_megahertz = 3700;
    cpus[1].clock_megahertz = 2600;
    cpus[0].convolution[0].why_not = "not built for it";
  }
  std::vector<DeviceInfo> cpus{made_up(0, "opencl", "cpu", 0), made_up(1, "opencl", "cpu", 1)};
};

TEST_F(TwoCpus, TheOneWithTheFasterBackendsIsTheDefault) {
  EXPECT_EQ(default_device(cpus)->index, 1);
  EXPECT_EQ(choose_device(cpus, "cpu").index, 1);
  EXPECT_THAT(why_default(cpus), testing::AllOf(HasSubstr("convolution onednn"), HasSubstr("opencl:cpu:0")));
}

TEST_F(TwoCpus, EachCanBeChosen) {
  EXPECT_EQ(choose_device(cpus, "cpu:0").index, 0);
  EXPECT_EQ(choose_device(cpus, "opencl:cpu:1").index, 1);
}

TEST_F(TwoCpus, WithTheSameBackendsTheFasterOneIsTheDefault) {
  cpus[0].convolution[0].why_not.clear();
  EXPECT_EQ(default_device(cpus)->index, 0);
  EXPECT_THAT(why_default(cpus), HasSubstr("3700 MHz"));
}

TEST_F(TwoCpus, AnUnusableOneIsNeverTheDefault) {
  cpus[1].unusable = "no compiler for it";
  EXPECT_EQ(default_device(cpus)->index, 0);
  EXPECT_THAT(why_default(cpus), HasSubstr("only usable device"));
}

TEST_F(TwoCpus, AGpuIsPreferredToBoth) {
  cpus.push_back(made_up(2, "cuda", "gpu", 0));
  EXPECT_EQ(default_device(cpus)->index, 2);
  EXPECT_THAT(why_default(cpus), HasSubstr("only usable gpu"));
}

TEST(DefaultDevice, PrefersTheNativeDriverOfACardWithTwo) {
  const std::vector<DeviceInfo> devices{made_up(0, "opencl", "gpu", 0), made_up(1, "level_zero", "gpu", 0)};
  EXPECT_EQ(default_device(devices)->index, 1);
  EXPECT_THAT(why_default(devices), HasSubstr("native"));
}

TEST(DefaultDevice, DoesNotExistWithoutDevices) {
  EXPECT_EQ(default_device({}), nullptr);
  EXPECT_EQ(why_default({}), "");
}

// DPC++ 2026.2's back end crashes on kernels that take a struct by value from sm_70 on, and needs a name for AMD.
TEST(RuntimeCompilerTarget, IsAnArchitectureOfTheVendor) {
  EXPECT_EQ(runtime_compiler_target("cuda", "9.0"), "sm_60");
  EXPECT_EQ(runtime_compiler_target("hip", "gfx90a:sramecc+:xnack-"), "gfx90a");
  EXPECT_EQ(runtime_compiler_target("level_zero", "12.60.7"), "");
}

TEST(Devices, HavePartsThatDivideTheComputeUnits) {
  const auto whole = find_device(test_device_name());
  if (whole.compute_units < 2) GTEST_SKIP() << "it has one compute unit";
  DeviceInfo part;
  try {
    part = find_device(whole.selector() + ".1");
  } catch (const InputError& error) {
    if (whole.platform.find("Intel") != std::string::npos) throw;
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(part.selector(), whole.selector() + ".1");
  EXPECT_LT(part.compute_units, whole.compute_units);
  EXPECT_THAT([&] { find_device(whole.selector() + ".999"); }, ThrowsMessage<InputError>(HasSubstr("parts")));
  EXPECT_THAT([&] { find_devices(whole.selector() + "," + part.selector()); },
              ThrowsMessage<InputError>(HasSubstr("same hardware")));
}

TEST(Devices, AreListedWithTheirBackends) {
  const auto devices = list_devices();
  ASSERT_FALSE(devices.empty());
  for (const auto& device : devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_GT(device.memory_bytes, 0u);
    if (!device.unusable.empty()) continue;
    EXPECT_FALSE(device.sub_group_sizes.empty());
    // Our own kernels run everywhere.
    EXPECT_TRUE(device.gemm.back().name == "portable" && device.gemm.back().why_not.empty());
    EXPECT_TRUE(device.convolution.back().name == "portable" && device.convolution.back().why_not.empty());
  }
}

TEST(Devices, BackendsCanBeChosenByName) {
  Device& device = shared_device();
  for (const auto& backend : device.info().gemm) {
    if (!backend.why_not.empty()) continue;
    device.use_gemm_backend(backend.name);
    EXPECT_EQ(device.gemm().name(), backend.name);
  }
  device.use_gemm_backend("");
  EXPECT_THAT(device.summary(), HasSubstr(std::string(device.gemm().name())));
}

TEST(Devices, UnknownBackendsAreRefusedWithTheKnownOnes) {
  Device& device = shared_device();
  EXPECT_THAT([&] { device.use_gemm_backend("cublas"); },
              ThrowsMessage<InputError>(testing::AllOf(HasSubstr("cublas"), HasSubstr("portable"))));
  EXPECT_THAT([&] { device.use_convolution_backend("cudnn"); },
              ThrowsMessage<InputError>(testing::AllOf(HasSubstr("cudnn"), HasSubstr("portable"))));
}

}  // namespace
}  // namespace cambium
