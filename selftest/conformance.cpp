#include "selftest/conformance.hpp"

#include <cmath>
#include <limits>

#include "base/philox.hpp"
#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"

namespace cambium::conformance {
namespace {

// Restores the settings of a device that checks change.
class DeviceSettings {
 public:
  explicit DeviceSettings(Device& device)
      : device_(device),
        gemm_(device.gemm().name()),
        convolution_(device.convolution().name()),
        kernels_(device.portable_kernels()) {}
  ~DeviceSettings() {
    device_.use_gemm_backend(gemm_);
    device_.use_convolution_backend(convolution_);
    device_.use_portable_kernels(kernels_);
    device_.set_work_group_size(0);
  }
  DeviceSettings(const DeviceSettings&) = delete;

 private:
  Device& device_;
  std::string gemm_, convolution_;
  PortableKernels kernels_;
};

}  // namespace

void CheckResult::record(double result, double reference, double scale, const std::string& where) {
  double error = std::abs(result - reference);
  if (error != 0) error /= std::max(scale, 1e-30);
  if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
  if (error > largest_error || worst.empty()) {
    largest_error = error;
    worst = where;
  }
}

std::ostream& operator<<(std::ostream& stream, const Check& check) {
  return stream << check.operation << " (" << check.backend << ")";
}

std::vector<float> random_values(std::size_t count, std::uint32_t seed, std::uint32_t purpose) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto words = philox::generate({{static_cast<std::uint32_t>(i), 0, 0, 0}}, {{seed, purpose}});
    values[i] = 2.0f * philox::uniform(words.word[0]) - 1.0f;
  }
  return values;
}

std::vector<Check> checks(const DeviceInfo& device) {
  std::vector<Check> all = gemm_checks(device);
  for (auto& check : convolution_checks(device)) all.push_back(std::move(check));
  for (auto& check : layer_checks()) all.push_back(std::move(check));
  for (auto& check : training_checks()) all.push_back(std::move(check));
  for (auto& check : plasticity_checks(device)) all.push_back(std::move(check));
  for (auto& check : all)
    check.run = [run = std::move(check.run)](Device& device, const Settings& settings) {
      const DeviceSettings restored(device);
      return run(device, settings);
    };
  return all;
}

Check with_other_kernels(const Check& check, const DeviceInfo& device) {
  const bool is_cpu = device.is_cpu();
  return {check.operation + (is_cpu ? ", for GPUs" : ", for CPUs"), check.backend,
          [run = check.run, is_cpu](Device& device, const Settings& settings) {
            device.use_portable_kernels(is_cpu ? PortableKernels::gpu : PortableKernels::cpu);
            return run(device, settings);
          }};
}

Structure uneven_structure(const Architecture& architecture, std::uint32_t seed) {
  Structure structure(architecture, 2);
  for (std::size_t layer = 0; layer < structure.layers(); ++layer)
    for (std::int32_t r = 0; r < 2; ++r) {
      std::vector<std::uint8_t> mask(static_cast<std::size_t>(structure.full_width(layer)));
      for (std::size_t unit = 0; unit < mask.size(); ++unit)
        mask[unit] = (unit + seed) % static_cast<std::size_t>(2 + r) == 0;
      structure.set_mask(layer, r, mask);
    }
  return structure;
}

}  // namespace cambium::conformance
