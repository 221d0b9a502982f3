// One file from the network: resumed where an earlier attempt ended, checked, and under its name only when it is whole.
//
// What has arrived is kept beside the file, as NAME.part, until the check passes; a later call goes on from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace cambium {

struct DownloadOptions {
  int attempts = 5;                 // per address; what a server refuses for good is not tried again
  double first_pause = 1.0;         // seconds before the second attempt; doubles from one to the next
  int connect_seconds = 30;         // to reach the server
  int stalled_seconds = 30;         // with less than a kilobyte per second, before an attempt is given up
  std::uint64_t largest = 1 << 30;  // bytes; more is refused
  // Called as bytes arrive, with how many there are and how many there will be (0 when the server does not say).
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

// Why a file that arrived is not the right one; empty when it is.
using DownloadCheck = std::function<std::string(const std::filesystem::path&)>;

// Downloads `file` from the first of the `addresses` from which a good one comes. A DeviceError says what was wrong at
// each of them, an InputError that the file cannot be written.
void download(const std::vector<std::string>& addresses, const std::filesystem::path& file, const DownloadCheck& check,
              const DownloadOptions& options);

}  // namespace cambium
