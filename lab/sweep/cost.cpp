#include "lab/sweep/cost.hpp"

#include <algorithm>
#include <chrono>

#include "lab/results/task_scores.hpp"
#include "lab/run/run.hpp"
#include "lab/training/trainer.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

constexpr double seconds_of_timing = 0.25, seconds_to_start = 0.5;

// Multiplications of the forward pass of one image through one network.
double forward(const Architecture& architecture, const std::vector<std::int32_t>& active) {
  Architecture compact = architecture;
  compact.hidden = active;
  double sum = 0;
  for (const auto& layer : compact.layers())
    sum += static_cast<double>(layer.weights()) * (layer.convolution ? layer.image.height * layer.image.width : 1);
  return sum;
}

// Multiplications of a training step of all seeds: forward, gradients of the inputs, gradients of the weights.
double training(const RunConfig& config, const Architecture& architecture, const std::vector<std::int32_t>& active) {
  return 3 * forward(architecture, active) * config.curriculum.rows() * static_cast<double>(config.seeds.size());
}

std::vector<std::int32_t> active_in_cycle(const RunConfig& config, const Architecture& architecture,
                                          std::int32_t cycle) {
  if (config.edits()) return planned_units(config, architecture, cycle - config.events().first());
  return config.masks == "random" ? target_units(config, architecture) : architecture.hidden;
}

}  // namespace

Work work_of(const RunConfig& config) {
  const auto architecture = architecture_of(config);
  const auto seeds = static_cast<double>(config.seeds.size());
  const double evaluated = evaluated_images(config) * seeds,
               steps = static_cast<double>(config.curriculum.step_numbers());
  Work work;
  const auto add = [&](double share, const std::vector<std::int32_t>& active) {
    work.steps += share * steps;
    work.multiplications +=
        share * (steps * training(config, architecture, active) + evaluated * forward(architecture, active));
  };
  for (std::int32_t t = 1; t <= config.cycles; ++t)
    add(static_cast<double>(config.cycle_end(t) - config.cycle_end(t - 1)) / config.periods(),
        active_in_cycle(config, architecture, t));
  if (config.ticket) add(1, target_units(config, architecture));
  return work;
}

double CostModel::seconds(const RunConfig& config) {
  const Work work = work_of(config);
  const Line& line = line_of(config);
  return seconds_to_start + line.each_step * work.steps + line.each_multiplication * work.multiplications;
}

const CostModel::Line& CostModel::line_of(const RunConfig& config) {
  const auto key =
      fmt::format("{} {} {} {} {} {} {} {}", config.network, fmt::join(config.hidden, ","), config.stream().classes,
                  name_of(config.activation.kind), config.optimizer.kind == OptimizerSettings::Kind::adam,
                  config.curriculum.rows(), config.seeds.size(), config.augment);
  if (const auto found = lines_.find(key); found != lines_.end()) return found->second;
  const auto architecture = architecture_of(config);
  auto few = architecture.hidden;
  for (auto& width : few) width = std::max(1, width / 5);
  const double all_seconds = seconds_per_step(config, architecture.hidden), few_seconds = seconds_per_step(config, few);
  const double all = training(config, architecture, architecture.hidden), less = training(config, architecture, few);
  Line line;
  line.each_multiplication = std::max(0.0, all_seconds - few_seconds) / (all - less);
  line.each_step = std::max(0.0, all_seconds - line.each_multiplication * all);
  return lines_.emplace(key, line).first->second;
}

double CostModel::seconds_per_step(const RunConfig& config, const std::vector<std::int32_t>& active) const {
  const auto settings = trainer_settings(config);
  const auto shape = settings.architecture.image;
  constexpr std::uint32_t image_count = 1024;
  Images noise{.count = image_count, .height = shape.height, .width = shape.width, .channels = shape.channels};
  noise.pixels.resize(static_cast<std::size_t>(image_count) * static_cast<std::size_t>(shape.size()));
  for (std::size_t i = 0; i < noise.pixels.size(); ++i)
    noise.pixels[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
  for (std::uint32_t i = 0; i < image_count; ++i)
    noise.labels.push_back(static_cast<std::uint16_t>(i % static_cast<std::uint32_t>(settings.architecture.classes)));
  const DeviceImages images(device_, noise, Normalisation::unit(shape.channels));
  Trainer trainer(device_, settings, random_structure(settings.architecture, settings.seeds, active));
  const std::size_t rows = static_cast<std::size_t>(settings.batch) * settings.seeds.size();
  std::vector<std::int32_t> order(rows);
  for (std::size_t i = 0; i < rows; ++i) order[i] = static_cast<std::int32_t>(i * 7919 % image_count);
  const Buffer<std::int32_t> indices(device_, order);
  Buffer<float> losses(device_, rows);
  Buffer<std::uint8_t> correct(device_, rows);
  using Clock = std::chrono::steady_clock;
  std::uint64_t step = 0;
  const auto take = [&](std::uint64_t count) {
    const auto start = Clock::now();
    for (const std::uint64_t end = step + count; step < end; ++step)
      // The rate is so small that the parameters stay in their usual range.
      trainer.step(images, {.indices = indices,
                            .rows = settings.batch,
                            .step = step,
                            .rate = 1e-9f,
                            .losses = losses,
                            .correct = correct});
    device_.wait();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  take(2);  // builds the kernels
  std::uint64_t count = 1;
  double seconds = take(count);
  while (seconds < seconds_of_timing) {
    count = std::min<std::uint64_t>(
        count * 4, static_cast<std::uint64_t>(1.2 * seconds_of_timing / seconds * static_cast<double>(count)) + 1);
    seconds = take(count);
  }
  return seconds / static_cast<double>(count);
}

}  // namespace cambium
