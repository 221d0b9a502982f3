// Conformance: every kernel and backend against double-precision loops on the host.
//
// The same checks are `cambium selftest`, which a user runs first on a new device, and part of `make test`. A check
// goes through many shapes, work-group sizes and seeds, and reports the largest error that it met.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "layers/structure.hpp"
#include "sycl/device.hpp"

namespace cambium::conformance {

struct Outcome {
  int cases = 0;
  // Largest |result - reference| / scale, where scale is the sum of the absolute values of the terms that were added
  // up, so that cancellation does not count as an error. Infinite for a NaN or a wrong integer.
  double largest_error = 0;
  double tolerance = 0;
  std::string worst;  // the case that had it

  bool passed() const { return cases > 0 && largest_error <= tolerance; }
  void record(double result, double reference, double scale, const std::string& where);
};

struct Settings {
  std::vector<std::uint32_t> seeds{1, 2};
  std::vector<std::size_t> work_group_sizes{1, 7, 32, 64, 256};
};

struct Check {
  std::string operation, backend;  // backend "-" where there is only our own kernel
  std::function<Outcome(Device&, const Settings&)> run;
};

std::ostream& operator<<(std::ostream& stream, const Check& check);

// Everything that can run on the device. Checks choose backends and work-group sizes and leave them changed.
std::vector<Check> checks(const DeviceInfo& device);

// Parts of checks(), by file.
std::vector<Check> gemm_checks(const DeviceInfo& device);
std::vector<Check> convolution_checks(const DeviceInfo& device);
std::vector<Check> layer_checks();
std::vector<Check> training_checks();
std::vector<Check> plasticity_checks(const DeviceInfo& device);

// The check with our own kernels for the other kind of device: GPUs' on a CPU, CPUs' on a GPU.
Check with_other_kernels(const Check& check, const DeviceInfo& device);

// Two networks with unequal numbers of active units.
Structure uneven_structure(const Architecture& architecture, std::uint32_t seed);

// Runs body(seed, outcome) for every seed and work-group size of the settings.
template <class Body>
Outcome over_work_groups(Device& device, const Settings& settings, double tolerance, Body&& body) {
  Outcome outcome{.tolerance = tolerance};
  for (const auto seed : settings.seeds)
    for (const auto group : settings.work_group_sizes) {
      device.set_work_group_size(group);
      body(seed, outcome);
    }
  device.set_work_group_size(0);
  return outcome;
}

// Uniform in [-1, 1), a function of seed and purpose.
std::vector<float> random_values(std::size_t count, std::uint32_t seed, std::uint32_t purpose);

}  // namespace cambium::conformance
