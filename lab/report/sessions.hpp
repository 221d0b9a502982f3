// The devices and times of runs, summed over the sessions.jsonl of their folders.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace cambium {

struct DeviceUse {
  std::string device, driver, cambium;
  std::size_t cells = 0;
  std::string first, last;  // start of the first and end of the last session, as in the files
  double seconds = 0;
};

// One entry per device, driver and version, the most used first. Lines that cannot be parsed are skipped: a killed run
// may leave an incomplete line.
std::vector<DeviceUse> devices_used(std::span<const std::filesystem::path> folders);

}  // namespace cambium
