// Training steps of both networks: time per step and per replica for several numbers of active units, replicas, batch
// sizes and optimizers; and the time that the host needs to submit a step launch by launch and as one graph.

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "base/philox.hpp"
#include "bench/bench.hpp"
#include "lab/training/trainer.hpp"
#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"

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

// Timings of steps with one way of submission.
struct Way {
  Timing timing;
  double host_seconds = 0;  // per step, until the call returns
};

struct StepFigures {
  double flops = 0, launches = 0;  // per step
  Way direct = {};
  std::optional<Way> graph = {};
};

bool recordable(Device& device, bool convolutions) {
  return !device.info().graphs.empty() && device.gemm().recordable() &&
         (!convolutions || device.convolution().recordable());
}

StepFigures time_steps(Device& device, const Case& c, const StepOptions& options) {
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
  const auto take = [&](int steps) {
    for (int i = 0; i < steps; ++i, ++step)
      trainer.step(images, {.indices = device_indices.view().slice(step % prepared * rows, rows),
                            .rows = static_cast<std::uint32_t>(c.batch),
                            .step = step,
                            .rate = 1e-9f,  // Parameters barely change, so that gradients stay normal numbers.
                            .losses = losses,
                            .correct = correct});
  };
  const auto time_way = [&](GraphUse use) {
    device.set_graph_use(use);
    const auto timing = measure([&](int calls) { take(calls), device.wait(); }, options.effort);
    constexpr int steps = 8;  // few, so that the device's queue does not fill up and block the host
    const auto start = std::chrono::steady_clock::now();
    take(steps);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    device.wait();
    return Way{timing, seconds / steps};
  };
  StepFigures figures{.flops = training_flops(trainer.compaction().live()) * c.batch};
  figures.direct = time_way(GraphUse::off);
  const auto launches = device.submissions().launches;
  take(1);
  figures.launches = static_cast<double>(device.submissions().launches - launches);
  if (options.graph == GraphUse::on || (options.graph == GraphUse::automatic && recordable(device, convnet)))
    figures.graph = time_way(GraphUse::on);
  device.set_graph_use(GraphUse::off);
  return figures;
}

}  // namespace

nlohmann::json step(Device& device, const StepOptions& options) {
  const double peak = measured_peak(device);
  nlohmann::json result{{"peak_gflops", peak}, {"steps", nlohmann::json::array()}};
  fmt::print("peak (1536 x 1536 x 1536, {}): {:.0f} GFLOP/s\n\n", device.gemm().name(), peak);
  device.use_gemm_backend(options.gemm_backend);
  device.use_convolution_backend(options.convolution_backend);
  fmt::print("{:<9}{:>7}{:>9}{:>10}{:>11}{:>13}{:>16}{:>10}{:>9}{:>10}{:>11}{:>10}{:>18}\n", "network", "batch",
             "active", "replicas", "optimizer", "us per step", "us per replica", "GFLOP/s", "of peak", "launches",
             "submit us", "graph us", "graph submit us");
  for (const auto& c : cases(options)) {
    const StepFigures figures = time_steps(device, c, options);
    const Timing& timing = figures.direct.timing;
    const double rate = figures.flops / timing.median * 1e-9;
    const auto microseconds = [](double seconds) { return fmt::format("{:.1f}", seconds * 1e6); };
    fmt::print("{:<9}{:>7}{:>8.0f}%{:>10}{:>11}{:>13.1f}{:>16.1f}{:>10.1f}{:>8.0f}%{:>10.0f}{:>11}{:>10}{:>18}\n",
               c.network, c.batch, 100 * c.compactness, c.replicas, c.optimizer, timing.median * 1e6,
               timing.median * 1e6 / c.replicas, rate, 100 * rate / peak, figures.launches,
               microseconds(figures.direct.host_seconds),
               figures.graph ? microseconds(figures.graph->timing.median) : "-",
               figures.graph ? microseconds(figures.graph->host_seconds) : "-");
    std::fflush(stdout);
    result["steps"].push_back({{"network", c.network},
                               {"batch", c.batch},
                               {"compactness", c.compactness},
                               {"replicas", c.replicas},
                               {"optimizer", c.optimizer},
                               {"gflops", rate},
                               {"step", to_json(timing)},
                               {"launches", figures.launches},
                               {"submission_seconds", figures.direct.host_seconds}});
    if (!figures.graph) continue;
    result["steps"].back()["graph_step"] = to_json(figures.graph->timing);
    result["steps"].back()["graph_submission_seconds"] = figures.graph->host_seconds;
  }
  return result;
}

}  // namespace cambium::bench
