// Downloads one file. Bytes arrive in NAME.part; the file gets its name after it has passed a check. A later call
// resumes at the end of NAME.part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace cambium {

struct DownloadOptions {
  int attempts = 5;                 // per address; a permanent refusal ends them
  double first_pause = 1.0;         // seconds before the second attempt; doubles from one to the next
  int connect_seconds = 30;         // to connect to the server
  int stalled_seconds = 30;         // below 1 KiB per second, after which an attempt ends
  std::uint64_t largest = 1 << 30;  // bytes; more is refused
  // Called as bytes arrive, with their number so far and in all (0 if the server does not say).
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

// Returns why the file is not the right one; empty if it is.
using DownloadCheck = std::function<std::string(const std::filesystem::path&)>;

// Downloads `file` from the first of the `addresses` whose file passes the check. Throws EnvironmentError with the
// problem at each address, or if the file cannot be written; InputError if another process is fetching it.
void download(const std::vector<std::string>& addresses, const std::filesystem::path& file, const DownloadCheck& check,
              const DownloadOptions& options);

}  // namespace cambium
