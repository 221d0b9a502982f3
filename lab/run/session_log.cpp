#include "lab/run/session_log.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sycl/device.hpp"

namespace cambium {
namespace {

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace

SessionLog::SessionLog(const RunFolder& folder, Device& device, std::uint64_t step)
    : folder_(folder), first_step_(step) {
  folder_.append_session({{"began", timestamp()},
                          {"at_step", step},
                          {"cambium", CAMBIUM_VERSION},
                          {"device", device.info().name},
                          {"driver", device.info().driver},
                          {"selector", device.info().selector()},
                          {"gemm", device.gemm().name()},
                          {"convolution", device.convolution().name()}});
}

void SessionLog::end(std::uint64_t step, bool done, const Progress& progress) const {
  const double seconds = progress.seconds();
  folder_.append_session({{"ended", timestamp()},
                          {"at_step", step},
                          {"why", done ? "done" : "interrupted"},
                          {"seconds", seconds},
                          {"steps_per_second", static_cast<double>(step - first_step_) / std::max(seconds, 1e-9)}});
}

}  // namespace cambium
