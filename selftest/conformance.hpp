// Conformance checks: they compare every kernel and backend with double-precision loops on the host.
//
// `cambium selftest`, which a user runs first on a new device, and `make test` run the same checks. A check covers many
// shapes, work-group sizes and seeds, and reports the largest error.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "layers/structure.hpp"
#include "sycl/device.hpp"

namespace cambium::conformance {

struct CheckResult {
  int cases = 0;
  // Largest |result - reference| / scale. The scale is the sum of the absolute values of the added terms, so that
  // cancellation does not count as an error. Infinite for a NaN or a wrong integer.
  double largest_error = 0;
  double tolerance = 0;
  std::string worst;  // the case with the largest error

  bool passed() const { return cases > 0 && largest_error <= tolerance; }
  void record(double result, double reference, double scale, const std::string& where);
};

struct Settings {
  std::vector<std::uint32_t> seeds{1, 2};
  std::vector<std::size_t> work_group_sizes{1, 7, 32, 64, 256};
};

struct Check {
  std::string operation, backend;  // backend "-": the operation has one implementation
  std::function<CheckResult(Device&, const Settings&)> run;
};

std::ostream& operator<<(std::ostream& stream, const Check& check);

// Every check that can run on the device. A check may change backends, portable kernels and work-group size of the
// device; they are restored when it ends.
std::vector<Check> checks(const DeviceInfo& device);

// Parts of checks(), by file. These leave the device as they changed it.
std::vector<Check> gemm_checks(const DeviceInfo& device);
std::vector<Check> convolution_checks(const DeviceInfo& device);
std::vector<Check> layer_checks();
std::vector<Check> training_checks();
std::vector<Check> plasticity_checks(const DeviceInfo& device);

// The same check with the portable kernels for the other kind of device: those for GPUs on a CPU, and the reverse.
Check with_other_kernels(const Check& check, const DeviceInfo& device);

// Two networks with unequal numbers of active units.
Structure uneven_structure(const Architecture& architecture, std::uint32_t seed);

// Runs body(seed, outcome) for every seed and work-group size of the settings.
template <class Body>
CheckResult over_work_groups(Device& device, const Settings& settings, double tolerance, Body&& body) {
  CheckResult outcome{.tolerance = tolerance};
  for (const auto seed : settings.seeds)
    for (const auto group : settings.work_group_sizes) {
      device.set_work_group_size(group);
      body(seed, outcome);
    }
  return outcome;
}

// Uniform in [-1, 1), a function of seed and purpose.
std::vector<float> random_values(std::size_t count, std::uint32_t seed, std::uint32_t purpose);

}  // namespace cambium::conformance
