// The device that the tests of one process share; CAMBIUM_TEST_DEVICE names another than the default.
#pragma once

#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>

#include "sycl/device.hpp"

namespace cambium {

inline std::string test_device_name() {
  const char* name = std::getenv("CAMBIUM_TEST_DEVICE");
  return name == nullptr ? "" : name;
}

// A Device must be gone before main() returns (see device.hpp), hence not a plain static.
struct SharedDevice : testing::Environment {
  static inline std::unique_ptr<Device> device;
  void SetUp() override { spdlog::set_level(spdlog::level::warn); }
  void TearDown() override { device.reset(); }
};
inline auto* const shared_device_environment = testing::AddGlobalTestEnvironment(new SharedDevice);

inline Device& shared_device() {
  if (!SharedDevice::device)
    SharedDevice::device = std::make_unique<Device>(DeviceOptions{.device = test_device_name()});
  return *SharedDevice::device;
}

}  // namespace cambium
