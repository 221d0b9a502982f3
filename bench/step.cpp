// Training steps of both networks: time per step and per replica, against active units, replicas, batch and optimiser.

#include <fmt/format.h>

#include <cmath>

#include "bench/bench.hpp"
#include "lab/trainer.hpp"
#include "sycl/philox.hpp"

namespace cambium::bench {
namespace {

// Multiplications and additions of the matrix products and convolutions of one training step on one image, over all
// replicas.
double training_flops(const ParameterLayout& layout) {
  double flops = 0;
  for (std::size_t i = 0; i < layout.layers.size(); ++i) {
    const auto& layer = layout.layers[i];
    const double positions = layer.shape.convolution ? layer.shape.image.height * layer.shape.image.width : 1;
    const double passes = i == 0 ? 2 : 3;  // The images have no gradient.
    flops += 2.0 * passes * positions * static_cast<double>(layer.weights_each) * layout.replicas;
  }
  return flops;
}

struct Case {
  std::string network, optimizer;
  int batch, replicas;
  double compactness;
};

std::vector<Case> cases(const StepOptions& options) {
  std::vector<Case> all;
  for (const auto& network : options.networks) {
    const auto usual = network == "convnet" ? std::vector{128} : std::vector{16, 64, 256};
    for (const int batch : options.batches.empty() ? usual : options.batches)
      for (const double compactness : options.compactness)
        for (const int replicas : options.replicas)
          for (const auto& optimizer : options.optimizers)
            all.push_back({network, optimizer, batch, replicas, compactness});
  }
  return all;
}

Timing time_steps(Device& device, const Case& c, const Effort& effort, double& flops) {
  const bool convnet = c.network == "convnet";
  const ImageShape image = convnet ? ImageShape{32, 32, 3} : ImageShape{28, 28, 1};
  TrainerSettings settings{.architecture = make_architecture(c.network, image, convnet ? 100 : 10),
                           .batch = static_cast<std::uint32_t>(c.batch)};
  if (c.optimizer == "adam") settings.optimizer.kind = OptimizerSettings::Kind::adam;
  for (int r = 1; r <= c.replicas; ++r) settings.seeds.push_back(static_cast<std::uint32_t>(r));
  std::vector<std::int32_t> active;
  for (const auto width : settings.architecture.hidden)
    active.push_back(std::max(1, static_cast<int>(std::floor(c.compactness * width + 0.5))));

  constexpr std::uint32_t image_count = 4096, prepared = 16;  // batches
  const DeviceImages images(device, noise_images(image, settings.architecture.classes, image_count),
                            Normalisation::unit(image.channels));
  Trainer trainer(device, settings, random_structure(settings.architecture, settings.seeds, active));
  const std::size_t rows = static_cast<std::size_t>(c.batch) * settings.seeds.size();
  std::vector<std::int32_t> indices(rows * prepared);
  for (std::uint32_t i = 0; i < indices.size(); ++i)
    indices[i] = static_cast<std::int32_t>(philox::below(philox::word({{1, 3}}, i), image_count));
  const Buffer<std::int32_t> device_indices(device, indices);
  Buffer<float> losses(device, rows);
  Buffer<std::uint8_t> correct(device, rows);
  std::uint64_t step = 0;
  flops = training_flops(trainer.compaction().live()) * c.batch;
  return measure(
      [&](int calls) {
        for (int i = 0; i < calls; ++i, ++step)
          trainer.step(images, {.indices = device_indices.view().slice(step % prepared * rows, rows),
                                .rows = static_cast<std::uint32_t>(c.batch),
                                .step = step,
                                .rate = 1e-9f,  // Nothing is learnt, so that gradients stay ordinary numbers.
                                .losses = losses,
                                .correct = correct});
        device.wait();
      },
      effort);
}

}  // namespace

nlohmann::json step(Device& device, const StepOptions& options) {
  const double peak = measured_peak(device);
  nlohmann::json result{{"peak_gflops", peak}, {"steps", nlohmann::json::array()}};
  fmt::print("peak (1536 x 1536 x 1536, {}): {:.0f} GFLOP/s\n\n", device.gemm().name(), peak);
  fmt::print("{:<9}{:>7}{:>9}{:>10}{:>11}{:>13}{:>16}{:>10}{:>9}\n", "network", "batch", "active", "replicas",
             "optimizer", "us per step", "us per replica", "GFLOP/s", "of peak");
  for (const auto& c : cases(options)) {
    double flops = 0;
    const Timing timing = time_steps(device, c, options.effort, flops);
    const double rate = flops / timing.median * 1e-9;
    fmt::print("{:<9}{:>7}{:>8.0f}%{:>10}{:>11}{:>13.1f}{:>16.1f}{:>10.1f}{:>8.0f}%\n", c.network, c.batch,
               100 * c.compactness, c.replicas, c.optimizer, timing.median * 1e6, timing.median * 1e6 / c.replicas,
               rate, 100 * rate / peak);
    std::fflush(stdout);
    result["steps"].push_back({{"network", c.network},
                               {"batch", c.batch},
                               {"compactness", c.compactness},
                               {"replicas", c.replicas},
                               {"optimizer", c.optimizer},
                               {"gflops", rate},
                               {"step", to_json(timing)}});
  }
  return result;
}

}  // namespace cambium::bench
