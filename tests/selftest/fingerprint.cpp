// Prints, for every backend, a hash of the bits of its results on fixed inputs, and of networks trained for a few
// steps; tests/sycl/threads_test.cpp compares the output of runs with different numbers of threads.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/digest.hpp"
#include "lab/training/trainer.hpp"
#include "selftest/conformance.hpp"
#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"

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

void print_training(Device& device, const std::string& network, OptimizerSettings::Kind optimizer) {
  const bool convnet = network == "convnet";
  const ImageShape shape = convnet ? ImageShape{32, 32, 3} : ImageShape{28, 28, 1};
  constexpr std::uint32_t rows = 32, steps = 4;
  Images images{64, shape.height, shape.width, shape.channels, {}, {}};
  for (const float value : conformance::random_values(static_cast<std::size_t>(64 * shape.size()), 1, 5))
    images.pixels.push_back(static_cast<std::uint8_t>(127.5f + 127.5f * value));
  for (std::uint8_t i = 0; i < 64; ++i) images.labels.push_back(i % 10);
  const DeviceImages device_images(device, images, Normalisation::unit(shape.channels));
  const TrainerSettings settings{.architecture = make_architecture(network, shape, 10),
                                 .optimizer = {.kind = optimizer},
                                 .batch = rows,
                                 .augment = convnet,
                                 .seeds = {1, 2}};
  std::vector<std::int32_t> active;
  for (const auto width : settings.architecture.hidden) active.push_back(width / 5);
  Trainer trainer(device, settings, random_structure(settings.architecture, settings.seeds, active));
  std::vector<std::int32_t> indices(2 * rows);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int32_t>(i * 7 % 64);
  const Buffer<std::int32_t> batch(device, indices);
  Buffer<float> losses(device, indices.size());
  Buffer<std::uint8_t> correct(device, indices.size());
  for (std::uint32_t step = 0; step < steps; ++step)
    trainer.step(
        device_images,
        {.indices = batch.view(), .rows = rows, .step = step, .rate = 0.01f, .losses = losses, .correct = correct});
  fmt::print("training {} {} {} {}\n", network, optimizer == OptimizerSettings::Kind::adam ? "adam" : "sgd",
             hash(trainer.parameters()), trainer.evaluate(device_images, images.labels).mean_loss(1));
}

}  // namespace

int main() {
  spdlog::set_level(spdlog::level::warn);
  Device device;
  for (const auto& backend : device.info().gemm)
    if (backend.why_not.empty()) print_gemm(device, backend.name);
  for (const auto& backend : device.info().convolution)
    if (backend.why_not.empty()) print_convolution(device, backend.name);
  device.use_gemm_backend("");
  device.use_convolution_backend("");
  for (const auto* network : {"mlp", "convnet"})
    for (const auto optimizer : {OptimizerSettings::Kind::sgd, OptimizerSettings::Kind::adam})
      print_training(device, network, optimizer);
}
