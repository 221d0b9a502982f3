// Edits of both networks: the time that they add to training, without the passes over the event's batch.
//
// The time of an edit is the time from the last step before it to the end of the first step after it, which allocates
// new memory, minus the time of an ordinary step and minus the passes over the batch on which the edit scores units.

#include <fmt/format.h>

#include <chrono>

#include "bench/bench.hpp"
#include "lab/training/editor.hpp"

namespace cambium::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Case {
  std::string network, method, optimizer;
  int replicas;
};

struct Times {
  std::vector<double> edits, passes, steps;
};

RunConfig config_of(const Case& c, double compactness) {
  ConfigText keys{{"data", c.network == "convnet" ? "cifar-100" : "mnist"},
                  {"method", c.method},
                  {"optimizer", c.optimizer},
                  {"compactness", fmt::format("{}", compactness)},
                  {"seeds", fmt::format("1..{}", c.replicas)}};
  return make_config(keys);
}

// All edits of one run, with two steps after each.
void time_edits(Device& device, const RunConfig& config, const DeviceImages& images, const Curriculum& curriculum,
                Times& times) {
  const TrainerSettings settings{
      .architecture = make_architecture(config.network, images.shape(), config.network == "convnet" ? 100 : 10),
      .optimizer = config.optimizer,
      .batch = config.curriculum.batch,
      .seeds = config.seeds};
  const auto replicas = config.seeds.size();
  const bool grows = config.method == Method::grow;
  Trainer trainer(
      device, settings,
      grows ? random_structure(settings.architecture, config.seeds, planned_units(config, settings.architecture, 0))
            : Structure(settings.architecture, static_cast<std::int32_t>(replicas)));
  Editor editor(device, config, curriculum, trainer, images);
  if (!grows) editor.set_rewind_target(initial_parameters(trainer.compaction().full(), config.init, config.seeds));
  const Buffer<std::int32_t> indices(device, std::vector<std::int32_t>(replicas * config.curriculum.batch, 0));
  Buffer<float> losses(device, replicas * config.curriculum.batch);
  Buffer<std::uint8_t> correct(device, replicas * config.curriculum.batch);
  const auto step = [&] {
    const auto start = Clock::now();
    trainer.step(
        images,
        {.indices = indices, .rows = config.curriculum.batch, .rate = 1e-9f, .losses = losses, .correct = correct});
    device.wait();
    return seconds_since(start);
  };
  step();
  for (std::int32_t event = 1; event < config.cycles; ++event) {
    const auto start = Clock::now();
    editor.edit(event);
    const double edit = seconds_since(start), passes = editor.seconds_on_batch(), first = step(), ordinary = step();
    times.edits.push_back(edit - passes + first - ordinary);
    times.passes.push_back(passes);
    times.steps.push_back(ordinary);
  }
}

}  // namespace

nlohmann::json edit(Device& device, const EditOptions& options) {
  nlohmann::json result = nlohmann::json::array();
  fmt::print("{:<9}{:>8}{:>11}{:>10}{:>11}{:>21}{:>11}\n", "network", "method", "optimizer", "replicas", "ms an edit",
             "ms for its batch", "ms a step");
  for (const auto& network : options.networks) {
    const ImageShape shape = network == "convnet" ? ImageShape{32, 32, 3} : ImageShape{28, 28, 1};
    const auto noise = noise_images(shape, 10, 4096);
    const DeviceImages images(device, noise, Normalisation::unit(shape.channels));
    for (const auto& method : options.methods)
      for (const auto& optimizer : options.optimizers)
        for (const int replicas : options.replicas) {
          const auto config = config_of({network, method, optimizer, replicas}, options.compactness);
          const Curriculum curriculum(config.curriculum, noise, 10, config.seeds);
          Times times;
          for (int sample = 0; sample < options.samples; ++sample)
            time_edits(device, config, images, curriculum, times);
          const auto edits = summarise(times.edits), passes = summarise(times.passes), steps = summarise(times.steps);
          fmt::print("{:<9}{:>8}{:>11}{:>10}{:>11.1f}{:>21.1f}{:>11.1f}\n", network, method, optimizer, replicas,
                     edits.median * 1e3, passes.median * 1e3, steps.median * 1e3);
          std::fflush(stdout);
          result.push_back({{"network", network},
                            {"method", method},
                            {"optimizer", optimizer},
                            {"replicas", replicas},
                            {"edit", to_json(edits)},
                            {"batch", to_json(passes)},
                            {"step", to_json(steps)}});
        }
  }
  return result;
}

}  // namespace cambium::bench
