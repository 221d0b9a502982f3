// Conformance checks of the kernels that only training uses: batches, compaction, optimizer steps.

#include <cmath>

#include "layers/compaction.hpp"
#include "optim/optimizer.hpp"
#include "selftest/conformance.hpp"
#include "streams/augmentation.hpp"
#include "streams/device_images.hpp"
#include "streams/random_label.hpp"

namespace cambium::conformance {
namespace {

// `in_task`: with permuted pixels and random labels.
CheckResult batch_check(Device& device, const Settings& settings, bool augment, bool in_task) {
  return over_work_groups(device, settings, 1e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    for (const auto& shape : {ImageShape{28, 28, 1}, {32, 32, 3}, {5, 9, 3}, {3, 2, 1}}) {
      constexpr std::uint32_t replicas = 2, rows = 7, count = 11;
      const auto size = static_cast<std::size_t>(shape.size()), channels = static_cast<std::size_t>(shape.channels);
      Images images{count, shape.height, shape.width, shape.channels, {}, {}};
      for (const float value : random_values(count * size, seed, 1))
        images.pixels.push_back(static_cast<std::uint8_t>(127.5f + 127.5f * value));
      for (std::uint32_t i = 0; i < count; ++i) images.labels.push_back(static_cast<std::uint8_t>(200 + i));
      std::vector<float> mean, deviation;
      for (std::size_t c = 0; c < channels; ++c) {
        mean.push_back(0.3f + 0.1f * static_cast<float>(c));
        deviation.push_back(0.2f + 0.05f * static_cast<float>(c));
      }
      std::vector<std::int32_t> indices;
      for (std::uint32_t i = 0; i < replicas * rows; ++i)
        indices.push_back(i % 5 == 3 ? -1 : static_cast<std::int32_t>(i * 4 % count));
      const std::vector<std::uint32_t> seeds{seed, seed + 100};
      const std::uint64_t step = (std::uint64_t{3} << 32) + seed;
      const DeviceImages device_images(device, images, Normalisation::standardised(mean, deviation));
      const Buffer<std::int32_t> device_indices(device, indices);
      const Buffer<std::uint32_t> device_seeds(device, seeds);
      // Each replica has its own order.
      const std::size_t positions = size / channels;
      constexpr std::uint32_t task_number = 3, task_classes = 10;
      std::vector<std::int32_t> order(replicas * positions);
      for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<std::int32_t>((i / positions + positions - i % positions) % positions);
      const Buffer<std::int32_t> device_order(device, order);
      const TaskView task =
          in_task ? TaskView{.pixels = device_order, .random_classes = task_classes, .task = task_number} : TaskView{};
      Buffer<float> batch(device, indices.size() * size);
      Buffer<std::int32_t> labels(device, indices.size());
      device_images.gather(device, {device_indices.view(), replicas, rows, augment, step, device_seeds, task}, batch,
                           labels);
      const auto pixels = batch.download();
      const auto found = labels.download();
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto where = fmt::format("{}x{}x{} image {}", shape.height, shape.width, shape.channels, i);
        const bool counts = indices[i] >= 0;
        const auto label = [&] {
          const auto image = static_cast<std::uint32_t>(indices[i]);
          return in_task ? random_label(seeds[i / rows], task_number, image, task_classes)
                         : std::int32_t{images.labels[image]};
        };
        outcome.record(found[i], counts ? label() : -1, 1e-9, where + " label");
        // The definition: pad by 4, crop, flip, put into the task's order, then normalise.
        const auto change = augmentation_at(seeds[i / rows], step, static_cast<std::uint32_t>(i % rows));
        for (std::int32_t y = 0; y < shape.height; ++y)
          for (std::int32_t x = 0; x < shape.width; ++x)
            for (std::size_t c = 0; c < channels; ++c) {
              const auto place = static_cast<std::size_t>(y * shape.width + x);
              const std::int32_t from =
                  in_task ? order[i / rows * positions + place] : static_cast<std::int32_t>(place);
              std::int32_t from_y = from / shape.width, from_x = from % shape.width;
              if (augment) {
                if (change.flip) from_x = shape.width - 1 - from_x;
                from_y += static_cast<std::int32_t>(change.down) - 4;
                from_x += static_cast<std::int32_t>(change.across) - 4;
              }
              const bool inside = from_y >= 0 && from_x >= 0 && from_y < shape.height && from_x < shape.width;
              double value = 0;
              if (counts && inside)
                value = images.pixels[static_cast<std::size_t>(indices[i]) * size +
                                      static_cast<std::size_t>(from_y * shape.width + from_x) * channels + c] /
                        255.0;
              const std::size_t at = i * size + static_cast<std::size_t>(y * shape.width + x) * channels + c;
              outcome.record(pixels[at], (value - double{mean[c]}) / double{deviation[c]}, 5.0, where);
            }
      }
      ++outcome.cases;
    }
  });
}

CheckResult compaction_check(Device& device, const Settings& settings) {
  return over_work_groups(device, settings, 0, [&](std::uint32_t seed, CheckResult& outcome) {
    for (const auto& architecture : {Architecture{"mlp", {3, 5, 1}, {}, {9, 7}, 4},
                                     Architecture{"convnet", {8, 8, 3}, {4, 6}, {33, 20, 17}, 10}}) {
      const Structure structure = uneven_structure(architecture, seed);
      const Compaction compaction(device, architecture, structure);
      const auto& full = compaction.full();
      PairedValues values = compaction.make_values();
      const auto start = random_values(full.size, seed, 1);
      compaction.upload(start, values);
      // Every live element, looked up by the definition.
      const auto live = values.live.download();
      const std::size_t trunk = architecture.trunk.size();
      auto expected_full = start;
      for (std::size_t l = 0; l < full.layers.size(); ++l) {
        const auto& from = full.layers[l];
        const auto& to = compaction.live().layers[l];
        const auto rows = l > trunk ? structure.live_units(l - trunk - 1) : std::vector<std::int32_t>();
        const auto columns = l >= trunk && l - trunk < structure.layers() ? structure.live_units(l - trunk)
                                                                          : std::vector<std::int32_t>();
        const auto number = [](const std::vector<std::int32_t>& units, std::size_t r, std::size_t width,
                               std::size_t i) {
          return units.empty() ? static_cast<std::int64_t>(i) : std::int64_t{units[r * width + i]};
        };
        const auto units = static_cast<std::size_t>(to.units), full_units = static_cast<std::size_t>(from.units);
        for (std::size_t r = 0; r < 2; ++r)
          for (std::size_t j = 0; j < units; ++j) {
            const auto unit = number(columns, r, units, j);
            const auto where = fmt::format("{} {}", architecture.name, from.shape.name);
            for (std::size_t i = 0; i < to.rows(); ++i) {
              const auto row = number(rows, r, to.rows(), i);
              const std::size_t at = from.weights_begin + r * from.weights_each +
                                     static_cast<std::size_t>(row) * full_units + static_cast<std::size_t>(unit);
              const std::size_t live_at = to.weights_begin + r * to.weights_each + i * units + j;
              outcome.record(live[live_at], row < 0 || unit < 0 ? 0.0f : start[at], 1, where + " weights");
              if (row >= 0 && unit >= 0) expected_full[at] = 2 * start[at];
            }
            const std::size_t at = from.bias_begin + r * full_units + static_cast<std::size_t>(unit);
            outcome.record(live[to.bias_begin + r * units + j], unit < 0 ? 0.0f : start[at], 1, where + " bias");
            if (unit >= 0) expected_full[at] = 2 * start[at];
          }
      }
      // Back to the full form, doubled: inactive elements keep their values.
      auto doubled = live;
      for (auto& value : doubled) value *= 2;
      values.live.upload(doubled);
      const auto back = compaction.download(values);
      for (std::size_t i = 0; i < back.size(); ++i)
        outcome.record(back[i], expected_full[i], 1, architecture.name + " scattered");
      ++outcome.cases;
    }
  });
}

// Three steps from random parameters, compared with the textbook formulas.
CheckResult optimizer_check(Device& device, const Settings& settings, const OptimizerSettings& optimizer_settings) {
  return over_work_groups(device, settings, 2e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    const Architecture architecture{"mlp", {5, 3, 1}, {}, {19, 8}, 3};
    const Compaction compaction(device, architecture, Structure(architecture, 2));
    const std::size_t size = compaction.live().size;
    Optimizer optimizer(device, optimizer_settings, compaction);
    const auto start = random_values(size, seed, 1);
    Buffer<float> parameters(device, start);
    std::vector<double> expected(start.begin(), start.end()), first(size), second(size);
    constexpr double rate = 0.05f;
    const double decay = optimizer_settings.weight_decay, momentum = optimizer_settings.momentum;
    for (int step = 1; step <= 3; ++step) {
      const auto gradient = random_values(size, seed, 10 + static_cast<std::uint32_t>(step));
      upload(device, gradient, optimizer.target(parameters, static_cast<float>(rate)).linear);
      optimizer.step(parameters, static_cast<float>(rate));
      for (std::size_t i = 0; i < size; ++i) {
        const double g = gradient[i] + decay * expected[i];
        if (optimizer_settings.kind == OptimizerSettings::Kind::sgd) {
          first[i] = momentum * first[i] + g;
          expected[i] -= rate * first[i];
        } else {
          first[i] = 0.9 * first[i] + 0.1 * g;
          second[i] = 0.999 * second[i] + 0.001 * g * g;
          const double m = first[i] / (1 - std::pow(0.9, step)), v = second[i] / (1 - std::pow(0.999, step));
          expected[i] -= rate * m / (std::sqrt(v) + 1e-8);
        }
      }
    }
    const auto result = parameters.download();
    for (std::size_t i = 0; i < size; ++i) outcome.record(result[i], expected[i], 1, "three steps");
    ++outcome.cases;
  });
}

}  // namespace

std::vector<Check> training_checks() {
  using namespace std::placeholders;
  const OptimizerSettings momentum{.momentum = 0.9f, .weight_decay = 0.01f};
  const OptimizerSettings adam{.kind = OptimizerSettings::Kind::adam, .weight_decay = 0.01f};
  return {{"batch", "-", std::bind(batch_check, _1, _2, false, false)},
          {"augmented batch", "-", std::bind(batch_check, _1, _2, true, false)},
          {"batch of a task", "-", std::bind(batch_check, _1, _2, false, true)},
          {"augmented batch of a task", "-", std::bind(batch_check, _1, _2, true, true)},
          {"compaction", "-", compaction_check},
          {"SGD with momentum", "-", std::bind(optimizer_check, _1, _2, momentum)},
          {"Adam", "-", std::bind(optimizer_check, _1, _2, adam)}};
}

}  // namespace cambium::conformance
