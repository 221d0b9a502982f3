#include "tests/conformance/conformance.hpp"

#include <cmath>
#include <limits>

#include "sycl/philox.hpp"

namespace cambium::conformance {

void Outcome::record(double result, double reference, double scale, const std::string& where) {
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
  return all;
}

}  // namespace cambium::conformance
