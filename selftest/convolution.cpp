// Conformance checks of the convolutions, for each backend.

#include "sycl/convolution.hpp"

#include <cmath>

#include "selftest/conformance.hpp"

namespace cambium::conformance {
namespace {

const ConvolutionShape shapes[] = {
    {.replicas = 1, .batch = 1, .height = 1, .width = 1, .input_channels = 1, .output_channels = 1},
    {.replicas = 2, .batch = 3, .height = 8, .width = 6, .input_channels = 3, .output_channels = 5},
    {.replicas = 3, .batch = 5, .height = 7, .width = 9, .input_channels = 4, .output_channels = 32},
    {.replicas = 1, .batch = 4, .height = 16, .width = 16, .input_channels = 32, .output_channels = 64},
    {.replicas = 2, .batch = 9, .height = 32, .width = 32, .input_channels = 3, .output_channels = 32},
    {.replicas = 2,
     .batch = 2,
     .height = 9,
     .width = 8,
     .input_channels = 6,
     .output_channels = 7,
     .kernel_height = 5,
     .kernel_width = 2,
     .stride = 2,
     .padding = 1},
    {.replicas = 1,
     .batch = 3,
     .height = 5,
     .width = 5,
     .input_channels = 17,
     .output_channels = 19,
     .kernel_height = 1,
     .kernel_width = 1,
     .stride = 1,
     .padding = 0},
};

std::string text(const ConvolutionShape& s) {
  return fmt::format("{} x {} images {}x{}x{} -> {}, kernel {}x{}, stride {}", s.replicas, s.batch, s.height, s.width,
                     s.input_channels, s.output_channels, s.kernel_height, s.kernel_width, s.stride);
}

// Calls visit(input index, weight index, output index) for every product of a convolution.
template <class Visit>
void for_each_product(const ConvolutionShape& s, Visit&& visit) {
  for (int r = 0; r < s.replicas; ++r)
    for (int b = 0; b < s.batch; ++b)
      for (int y = 0; y < s.output_height(); ++y)
        for (int x = 0; x < s.output_width(); ++x)
          for (int ky = 0; ky < s.kernel_height; ++ky)
            for (int kx = 0; kx < s.kernel_width; ++kx) {
              const int iy = y * s.stride + ky - s.padding, ix = x * s.stride + kx - s.padding;
              if (iy < 0 || iy >= s.height || ix < 0 || ix >= s.width) continue;
              const auto image = static_cast<std::size_t>(r * s.batch + b);
              for (int i = 0; i < s.input_channels; ++i)
                for (int o = 0; o < s.output_channels; ++o)
                  visit(
                      ((image * s.height + iy) * s.width + ix) * s.input_channels + i,
                      (((static_cast<std::size_t>(r) * s.kernel_height + ky) * s.kernel_width + kx) * s.input_channels +
                       i) * s.output_channels +
                          o,
                      ((image * s.output_height() + y) * s.output_width() + x) * s.output_channels + o);
            }
}

// Sums of products in double precision, with the sums of their absolute values.
struct Sums {
  std::vector<double> value, scale;
  explicit Sums(std::size_t size) : value(size), scale(size) {}
  void add(std::size_t at, double term) {
    value[at] += term;
    scale[at] += std::abs(term);
  }
  void compare(const std::vector<float>& result, const std::string& where, CheckResult& outcome) const {
    for (std::size_t i = 0; i < value.size(); ++i) outcome.record(result[i], value[i], scale[i], where);
  }
};

template <class Body>
CheckResult over_shapes(Device& device, const Settings& settings, const std::string& backend, Body&& body) {
  device.use_convolution_backend(backend);
  CheckResult outcome{.tolerance = 4e-6};
  for (const auto seed : settings.seeds)
    for (const auto group : settings.work_group_sizes) {
      if (backend != "portable" && group != settings.work_group_sizes.front()) continue;
      device.set_work_group_size(group);
      for (const auto& shape : shapes) {
        body(shape, seed, outcome);
        ++outcome.cases;
      }
    }
  return outcome;
}

CheckResult forward(Device& device, const Settings& settings, const std::string& backend) {
  return over_shapes(
      device, settings, backend, [&](const ConvolutionShape& s, std::uint32_t seed, CheckResult& outcome) {
        const auto input = random_values(s.input_size(), seed, 1), weights = random_values(s.weights_size(), seed, 2),
                   bias = random_values(s.bias_size(), seed, 3);
        Buffer<float> device_input(device, input), device_weights(device, weights), device_bias(device, bias),
            output(device, s.output_size());
        for (const bool with_bias : {true, false}) {
          Sums sums(s.output_size());
          const auto outputs = static_cast<std::size_t>(s.output_channels);
          const std::size_t each = s.output_size() / static_cast<std::size_t>(s.replicas);
          for (std::size_t i = 0; i < s.output_size(); ++i)
            if (with_bias) sums.add(i, bias[i / each * outputs + i % outputs]);
          for_each_product(s,
                           [&](auto in, auto weight, auto out) { sums.add(out, double{input[in]} * weights[weight]); });
          convolution_forward(device, s, device_input, device_weights,
                              with_bias ? device_bias.view() : View<const float>(), output);
          sums.compare(output.download(), text(s) + (with_bias ? "" : ", no bias"), outcome);
        }
      });
}

CheckResult backward_data(Device& device, const Settings& settings, const std::string& backend) {
  return over_shapes(
      device, settings, backend, [&](const ConvolutionShape& s, std::uint32_t seed, CheckResult& outcome) {
        const auto gradient = random_values(s.output_size(), seed, 1),
                   weights = random_values(s.weights_size(), seed, 2);
        Buffer<float> device_gradient(device, gradient), device_weights(device, weights),
            result(device, s.input_size());
        Sums sums(s.input_size());
        for_each_product(
            s, [&](auto in, auto weight, auto out) { sums.add(in, double{gradient[out]} * weights[weight]); });
        convolution_backward_data(device, s, device_gradient, device_weights, result);
        sums.compare(result.download(), text(s), outcome);
      });
}

CheckResult backward_weights(Device& device, const Settings& settings, const std::string& backend) {
  return over_shapes(
      device, settings, backend, [&](const ConvolutionShape& s, std::uint32_t seed, CheckResult& outcome) {
        const auto input = random_values(s.input_size(), seed, 1), gradient = random_values(s.output_size(), seed, 2);
        Buffer<float> device_input(device, input), device_gradient(device, gradient), weights(device, s.weights_size()),
            bias(device, s.bias_size());
        Sums weight_sums(s.weights_size()), bias_sums(s.bias_size());
        for_each_product(
            s, [&](auto in, auto weight, auto out) { weight_sums.add(weight, double{input[in]} * gradient[out]); });
        const auto outputs = static_cast<std::size_t>(s.output_channels);
        const std::size_t each = s.output_size() / static_cast<std::size_t>(s.replicas);
        for (std::size_t i = 0; i < s.output_size(); ++i) bias_sums.add(i / each * outputs + i % outputs, gradient[i]);
        convolution_backward_weights(device, s, device_input, device_gradient, weights, bias);
        weight_sums.compare(weights.download(), text(s), outcome);
        bias_sums.compare(bias.download(), text(s) + ", bias", outcome);
      });
}

}  // namespace

std::vector<Check> convolution_checks(const DeviceInfo& device) {
  std::vector<Check> checks;
  for (const auto& backend : device.convolution) {
    if (!backend.why_not.empty()) continue;
    using namespace std::placeholders;
    checks.push_back({"convolution forward", backend.name, std::bind(forward, _1, _2, backend.name)});
    checks.push_back({"convolution backward data", backend.name, std::bind(backward_data, _1, _2, backend.name)});
    checks.push_back({"convolution backward weights", backend.name, std::bind(backward_weights, _1, _2, backend.name)});
    if (backend.name == "portable")
      for (std::size_t i = checks.size() - 3, end = checks.size(); i < end; ++i)
        checks.push_back(with_other_kernels(checks[i], device));
  }
  return checks;
}

}  // namespace cambium::conformance
