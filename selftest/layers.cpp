// Conformance checks of the kernels that have no backends: activations, loss, pooling, column sums.

#include <cmath>

#include "base/philox.hpp"
#include "layers/activation.hpp"
#include "layers/activation_pool.hpp"
#include "layers/softmax_cross_entropy.hpp"
#include "selftest/conformance.hpp"
#include "sycl/column_sums.hpp"

namespace cambium::conformance {
namespace {

// The definitions of layers/activation.hpp in double precision.
struct ReferenceFunction {
  double value, derivative;
};
ReferenceFunction reference_activation(const Activation& activation, double z, double slope) {
  if (activation.kind == Activation::Kind::relu) return {z > 0 ? z : 0, z > 0 ? 1.0 : 0.0};
  const double k = double{activation.c} / activation.p, s = 1 / (1 + std::exp(-k * z));
  return {slope * z + (1 - slope) * z * s, slope + (1 - slope) * (s + k * z * s * (1 - s))};
}

// The slope at an element; random slopes of training are drawn again by their definition.
double reference_slope(const Activation& activation, bool training, std::uint32_t element, std::uint32_t layer,
                       std::uint64_t step, std::uint32_t seed) {
  if (activation.kind == Activation::Kind::smooth_leaky) return activation.alpha;
  if (!training) return (double{activation.lower} + activation.upper) / 2;
  const auto words =
      philox::generate({{element, layer, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)}},
                       {{seed, 0x52534c00}});
  return activation.lower + (double{activation.upper} - activation.lower) * philox::uniform(words.word[0]);
}

Activation tested_activation(Activation::Kind kind) {
  return {.kind = kind, .c = 2.0f, .p = 0.8f, .alpha = 0.2f, .lower = 0.3f, .upper = 1.6f};
}

CheckResult activation_check(Device& device, const Settings& settings, Activation::Kind kind, bool backward) {
  return over_work_groups(device, settings, 1e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    for (const auto& shape : {ActivationShape{1, 1, 1}, {2, 16, 51}, {3, 7, 256}})
      for (const bool training : {false, true})
        for (const bool compact : {false, true}) {
          const auto activation = tested_activation(kind);
          const std::size_t size = std::size_t{shape.replicas} * shape.rows * shape.units;
          const std::size_t units_size = std::size_t{shape.replicas} * shape.units;
          const std::uint32_t full_width = compact ? 2 * shape.units + 1 : shape.units;
          auto z = random_values(size, seed, 1);
          for (auto& value : z) value *= 8;
          z[0] = 0;  // relu'(0) is 0
          const auto bias = random_values(units_size, seed, 2), upstream = random_values(size, seed, 3);
          std::vector<float> mask(units_size);
          for (std::size_t i = 0; i < units_size; ++i) mask[i] = i % 3 != 1;
          std::vector<std::uint32_t> seeds;
          std::vector<std::int32_t> units;
          for (std::uint32_t r = 0; r < shape.replicas; ++r) {
            seeds.push_back(seed + 100 * r);
            for (std::uint32_t j = 0; j < shape.units; ++j) units.push_back(static_cast<std::int32_t>(2 * j + r % 2));
          }
          Buffer<float> device_z(device, z), device_bias(device, bias), device_mask(device, mask), h(device, size),
              gradient(device, upstream);
          Buffer<std::uint32_t> device_seeds(device, seeds);
          Buffer<std::int32_t> device_units(device, units);
          const ActivationNoise noise{.training = training,
                                      .layer = 2,
                                      .step = (std::uint64_t{5} << 32) + seed,
                                      .seeds = device_seeds,
                                      .full_width_unit = compact ? device_units.view() : View<const std::int32_t>(),
                                      .full_width = full_width};
          const bool masked = !compact;
          const View<const float> mask_view = masked ? device_mask.view() : View<const float>();
          constexpr GradientScale scale{-0.5f, 0.25f};
          if (backward)
            activation_backward(device, activation, shape, noise, device_z, mask_view, gradient, gradient, device_bias,
                                scale);
          else
            activation_forward(device, activation, shape, noise, device_z, device_bias, mask_view, h);
          const auto result = backward ? gradient.download() : h.download();
          const auto where = fmt::format("{} x ({}, {}) {}", shape.replicas, shape.rows, shape.units,
                                         training ? "training" : "evaluation");
          std::vector<double> bias_sum(units_size), bias_scale(units_size);
          for (std::size_t i = 0; i < size; ++i) {
            const auto j = static_cast<std::uint32_t>(i % shape.units);
            const auto row = static_cast<std::uint32_t>(i / shape.units % shape.rows);
            const auto r = static_cast<std::uint32_t>(i / shape.units / shape.rows);
            const std::size_t of_unit = std::size_t{r} * shape.units + j;
            const std::uint32_t unit = compact ? static_cast<std::uint32_t>(units[of_unit]) : j;
            const double slope =
                reference_slope(activation, training, row * full_width + unit, 2, noise.step, seeds[r]);
            const double sum = backward ? double{z[i]} : double{z[i]} + bias[of_unit];
            const auto f = reference_activation(activation, sum, slope);
            const double factor = masked ? mask[of_unit] : 1.0;
            const double expected = factor * (backward ? upstream[i] * f.derivative : f.value);
            outcome.record(result[i], expected, backward ? 1.0 : std::abs(double{z[i]}) + 1.0, where);
            bias_sum[of_unit] += expected;
            bias_scale[of_unit] += std::abs(upstream[i]);
          }
          if (backward) {
            const auto biases = device_bias.download();
            for (std::size_t i = 0; i < units_size; ++i)
              outcome.record(biases[i], double{scale.beta} * bias[i] + double{scale.alpha} * bias_sum[i],
                             bias_scale[i] + 1.0, where + " bias");
          }
          ++outcome.cases;
        }
  });
}

CheckResult softmax_check(Device& device, const Settings& settings) {
  return over_work_groups(device, settings, 2e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    for (const auto& shape : {ClassificationShape{1, 1, 1}, {1, 1, 2}, {3, 16, 10}, {2, 33, 100}})
      for (const auto& [with_bias, with_weights] : {std::pair{true, false}, {false, false}, {true, true}}) {
        const std::size_t rows = std::size_t{shape.replicas} * shape.rows, classes = shape.classes;
        auto logits = random_values(rows * classes, seed, 1);
        for (auto& value : logits) value *= 20;
        if (classes > 1) logits[1] = logits[0] = 25;  // The first of equals is the answer.
        auto bias = random_values(shape.replicas * classes, seed, 2);
        if (classes > 1) bias[1] = bias[0];
        std::vector<std::int32_t> labels(rows);
        for (std::size_t i = 0; i < rows; ++i) labels[i] = i % 5 == 4 ? -1 : static_cast<std::int32_t>(i * 7 % classes);
        Buffer<float> device_logits(device, logits), device_bias(device, bias), loss(device, rows);
        Buffer<std::int32_t> device_labels(device, labels);
        Buffer<std::uint8_t> correct(device, rows);
        constexpr float scale = 0.125f;
        std::vector<float> weights;
        for (std::uint32_t r = 0; r < shape.replicas; ++r)
          weights.push_back(with_weights ? 0.75f + 2 * static_cast<float>(r) : 1.0f);
        const Buffer<float> device_weights(device, weights);
        softmax_cross_entropy(device, shape, scale, device_logits, with_bias ? device_bias.view() : View<const float>(),
                              device_labels, device_logits, loss, correct,
                              with_weights ? device_weights.view() : View<const float>());
        const auto gradients = device_logits.download(), losses = loss.download();
        const auto flags = correct.download();
        for (std::size_t row = 0; row < rows; ++row) {
          const auto where = fmt::format("{} x ({}, {}) row {}", shape.replicas, shape.rows, classes, row);
          std::vector<double> value(classes);
          std::size_t best = 0;
          for (std::size_t c = 0; c < classes; ++c) {
            // The sum is rounded to float as on the device, so that equal logits stay equal.
            value[c] = with_bias ? logits[row * classes + c] + bias[row / shape.rows * classes + c]
                                 : logits[row * classes + c];
            if (value[c] > value[best]) best = c;
          }
          double sum = 0;
          for (const double v : value) sum += std::exp(v - value[best]);
          const bool counts = labels[row] >= 0;
          const auto label = static_cast<std::size_t>(std::max(labels[row], 0));
          outcome.record(losses[row], counts ? std::log(sum) + value[best] - value[label] : 0.0,
                         1 + std::abs(value[best] - value[label]), where + " loss");
          outcome.record(flags[row] == (counts && best == label) ? 0.0 : INFINITY, 0, 1, where + " correctness");
          const double factor = scale * double{weights[row / shape.rows]};
          for (std::size_t c = 0; c < classes; ++c)
            outcome.record(gradients[row * classes + c],
                           counts ? factor * (std::exp(value[c] - value[best]) / sum - (c == label)) : 0.0, factor,
                           where + " gradient");
        }
        ++outcome.cases;
      }
  });
}

CheckResult activation_pool_check(Device& device, const Settings& settings, Activation::Kind kind) {
  return over_work_groups(device, settings, 1e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    for (const auto& shape : {PoolShape{1, 1, 2, 2, 1}, {1, 3, 5, 7, 3}, {2, 1, 16, 16, 64}, {2, 2, 32, 32, 32}})
      for (const bool training : {false, true}) {
        const auto activation = tested_activation(kind);
        auto input = random_values(shape.input_size(), seed, 1);
        for (auto& value : input) value = std::round(value * 4);  // Ties are frequent; the first wins.
        const auto upstream = random_values(shape.output_size(), seed, 2);
        std::vector<std::uint32_t> seeds;
        for (std::uint32_t r = 0; r < shape.replicas; ++r) seeds.push_back(seed + 100 * r);
        Buffer<float> z(device, input), h(device, shape.output_size()), gradient(device, upstream);
        Buffer<std::uint8_t> winner(device, shape.output_size());
        Buffer<std::uint32_t> device_seeds(device, seeds);
        const ActivationNoise noise{.training = training, .layer = 1, .step = seed, .seeds = device_seeds};
        activation_pool_forward(device, activation, shape, noise, z, h, winner);
        const auto outputs = h.download();
        const auto winners = winner.download();
        activation_pool_backward(device, activation, shape, noise, h, winner, gradient, z);
        const auto gradients = z.download();

        std::vector<double> expected_gradient(shape.input_size());
        const auto where = fmt::format("{} x {} images of {}x{}x{}", shape.replicas, shape.rows, shape.height,
                                       shape.width, shape.channels);
        std::size_t at = 0;
        for (std::uint32_t image = 0; image < shape.replicas * shape.rows; ++image)
          for (std::uint32_t y = 0; y < shape.output_height(); ++y)
            for (std::uint32_t x = 0; x < shape.output_width(); ++x)
              for (std::uint32_t c = 0; c < shape.channels; ++c, ++at) {
                double largest = -INFINITY, of_winner = 0, derivative = 0;
                std::size_t best = 0;
                for (std::uint32_t k = 0; k < 4; ++k) {
                  const std::uint32_t row = 2 * y + k / 2, column = 2 * x + k % 2;
                  const std::size_t i =
                      ((std::size_t{image} * shape.height + row) * shape.width + column) * shape.channels + c;
                  const std::uint32_t element =
                      ((image % shape.rows * shape.channels + c) * shape.height + row) * shape.width + column;
                  const auto f = reference_activation(
                      activation, input[i],
                      reference_slope(activation, training, element, 1, noise.step, seeds[image / shape.rows]));
                  largest = std::max(largest, f.value);
                  if (k == winners[at]) of_winner = f.value, derivative = f.derivative, best = i;
                }
                outcome.record(outputs[at], largest, 4.0, where);
                outcome.record(of_winner, largest, 4.0, where + " winner");
                expected_gradient[best] = upstream[at] * derivative;
                // Rounding may decide between nearly equal values of the smooth kinds, but not for relu.
                if (kind != Activation::Kind::relu) continue;
                for (std::uint32_t k = 0; k < winners[at]; ++k) {
                  const std::size_t i =
                      ((std::size_t{image} * shape.height + 2 * y + k / 2) * shape.width + 2 * x + k % 2) *
                          shape.channels +
                      c;
                  outcome.record(std::max(input[i], 0.0f) == outputs[at] ? INFINITY : 0, 0, 1,
                                 where + " first of equals");
                }
              }
        for (std::size_t i = 0; i < gradients.size(); ++i)
          outcome.record(gradients[i], expected_gradient[i], 1, where + " gradient");
        ++outcome.cases;
      }
  });
}

CheckResult column_sums_check(Device& device, const Settings& settings) {
  return over_work_groups(device, settings, 4e-6, [&](std::uint32_t seed, CheckResult& outcome) {
    for (const auto& [replicas, rows, columns] :
         {std::array<std::size_t, 3>{1, 1, 1}, {2, 0, 5}, {3, 16, 51}, {2, 256, 10}, {2, 257, 33}, {1, 70000, 3}}) {
      const auto x = random_values(replicas * rows * columns, seed, 1);
      Buffer<float> device_x(device, x), sums(device, replicas * columns);
      Workspace workspace;
      column_sums(device, device_x, replicas, rows, columns, sums, workspace);
      const auto result = sums.download();
      for (std::size_t r = 0; r < replicas; ++r)
        for (std::size_t j = 0; j < columns; ++j) {
          double sum = 0, scale = 0;
          for (std::size_t i = 0; i < rows; ++i) {
            sum += x[(r * rows + i) * columns + j];
            scale += std::abs(x[(r * rows + i) * columns + j]);
          }
          outcome.record(result[r * columns + j], sum, scale, fmt::format("{} x ({}, {})", replicas, rows, columns));
        }
      ++outcome.cases;
    }
  });
}

}  // namespace

std::vector<Check> layer_checks() {
  using namespace std::placeholders;
  std::vector<Check> checks;
  for (const auto& [kind, name] : {std::pair{Activation::Kind::relu, "ReLU"},
                                   {Activation::Kind::smooth_leaky, "Smooth-Leaky"},
                                   {Activation::Kind::rsl, "Rand. Smooth-Leaky"}}) {
    checks.push_back({fmt::format("{} forward", name), "-", std::bind(activation_check, _1, _2, kind, false)});
    checks.push_back({fmt::format("{} backward", name), "-", std::bind(activation_check, _1, _2, kind, true)});
    checks.push_back({fmt::format("{} with max-pool 2x2", name), "-", std::bind(activation_pool_check, _1, _2, kind)});
  }
  checks.push_back({"softmax cross-entropy", "-", softmax_check});
  checks.push_back({"column sums", "-", column_sums_check});
  return checks;
}

}  // namespace cambium::conformance
