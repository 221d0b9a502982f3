// Where and when cells were run: sessions.jsonl of their folders, summed up.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace cambium {

struct DeviceUse {
  std::string device, driver, cambium;
  std::size_t cells = 0;
  std::string first, last;  // dates and times, as they stand there
  double seconds = 0;
};

// By device, driver and version, the most used first. Lines that cannot be read are left out: a run that is killed may
// leave half of one.
std::vector<DeviceUse> devices_used(std::span<const std::filesystem::path> folders);

}  // namespace cambium
