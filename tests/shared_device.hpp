// The device that the tests of one process share; CAMBIUM_TEST_DEVICE names another than the default.
#pragma once

#include <cstdlib>

#include "sycl/device.hpp"

namespace cambium {

inline Device& shared_device() {
  static Device device([] {
    const char* name = std::getenv("CAMBIUM_TEST_DEVICE");
    return DeviceOptions{.device = name == nullptr ? "" : name};
  }());
  return device;
}

}  // namespace cambium
