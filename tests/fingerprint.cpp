// Prints, for every backend, a hash of the bits of its results on fixed inputs; tests/sycl/threads_test.cpp compares
// the output of runs with different numbers of threads.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"
#include "sycl/kernel_cache.hpp"
#include "tests/conformance/conformance.hpp"

using namespace cambium;

namespace {

std::string hash(const std::vector<float>& values) {
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return content_hash(std::span(&bytes, 1)).substr(0, 16);
}

Buffer<float> random(Device& device, std::size_t count, std::uint32_t purpose) {
  return {device, conformance::random_values(count, 1, purpose)};
}

void print_gemm(Device& device, const std::string& backend) {
  device.use_gemm_backend(backend);
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{16, 51, 784},
                                {16, 256, 784},
                                {128, 102, 4096},
                                {784, 256, 64},
                                {4096, 102, 128},
                                {256, 256, 256}})
    for (const auto ta : {Transpose::no, Transpose::yes})
      for (const auto tb : {Transpose::no, Transpose::yes}) {
        const bool flip_a = ta == Transpose::yes, flip_b = tb == Transpose::yes;
        auto a = random(device, static_cast<std::size_t>(2 * m * k), 1),
             b = random(device, static_cast<std::size_t>(2 * k * n), 2);
        Buffer<float> c(device, static_cast<std::size_t>(2 * m * n));
        gemm(device, ta, tb, 1.0f, {a, 2, flip_a ? k : m, flip_a ? m : k}, {b, 2, flip_b ? n : k, flip_b ? k : n}, 0.0f,
             {c, 2, m, n});
        fmt::print("gemm {} {}x{}x{} {}{} {}\n", backend, m, n, k, flip_a, flip_b, hash(c.download()));
      }
}

void print_convolution(Device& device, const std::string& backend) {
  device.use_convolution_backend(backend);
  for (const auto& [size, inputs, outputs] : {std::array{32, 3, 32}, {16, 32, 64}}) {
    const ConvolutionShape s{.replicas = 2,
                             .batch = 32,
                             .height = size,
                             .width = size,
                             .input_channels = inputs,
                             .output_channels = outputs};
    auto input = random(device, s.input_size(), 1), weights = random(device, s.weights_size(), 2),
         bias = random(device, s.bias_size(), 3), output = random(device, s.output_size(), 4);
    Buffer<float> dinput(device, s.input_size()), dweights(device, s.weights_size()), dbias(device, s.bias_size());
    convolution_backward_data(device, s, output, weights, dinput);
    convolution_backward_weights(device, s, input, output, dweights, dbias);
    convolution_forward(device, s, input, weights, bias, output);
    fmt::print("convolution {} {} channels: {} {} {} {}\n", backend, inputs, hash(output.download()),
               hash(dinput.download()), hash(dweights.download()), hash(dbias.download()));
  }
}

}  // namespace

int main() {
  spdlog::set_level(spdlog::level::warn);
  Device device;
  for (const auto& backend : device.info().gemm)
    if (backend.why_not.empty()) print_gemm(device, backend.name);
  for (const auto& backend : device.info().convolution)
    if (backend.why_not.empty()) print_convolution(device, backend.name);
}
