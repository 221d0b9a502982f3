// The reference for networks on a device: one network in plain loops and double precision, at full width with masks, in
// evaluation mode.
//
// It reads one replica's part of the parameters of R networks. Layers are the fully connected ones, counted from the
// input side; the last one computes the logits. Gradients are those of the loss of a single image.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "layers/activation.hpp"
#include "layers/parameters.hpp"
#include "selftest/conformance.hpp"

namespace cambium {

using Values = std::vector<double>;

// Images (R, rows, height, width, channels) and labels (R, rows).
struct Batch {
  std::size_t rows;
  std::vector<float> images;
  std::vector<std::int32_t> labels;
};
inline Batch random_batch(const Architecture& architecture, std::size_t replicas, std::size_t rows,
                          std::uint32_t seed) {
  const auto pixels = static_cast<std::size_t>(architecture.image.size());
  Batch batch{rows, conformance::random_values(replicas * rows * pixels, seed, 1), {}};
  for (std::size_t i = 0; i < replicas * rows; ++i)
    batch.labels.push_back(static_cast<std::int32_t>((i * 7 + seed) % static_cast<std::size_t>(architecture.classes)));
  return batch;
}

struct NaiveFunction {
  double value, derivative;
};
inline NaiveFunction naive_function(const Activation& activation, double z) {
  if (activation.kind == Activation::Kind::relu) return {z > 0 ? z : 0, z > 0 ? 1.0 : 0.0};
  const double slope = activation.kind == Activation::Kind::smooth_leaky
                           ? double{activation.alpha}
                           : (double{activation.lower} + activation.upper) / 2;
  const double k = double{activation.c} / activation.p, s = 1 / (1 + std::exp(-k * z));
  return {slope * z + (1 - slope) * z * s, slope + (1 - slope) * (s + k * z * s * (1 - s))};
}

// The values of one image in one layer.
struct NaiveLayer {
  Values input;            // masked
  Values pre_activation;   // z
  Values output;           // phi(z), not masked; of the last layer: empty
  Values output_gradient;  // of the masked output, for inactive units, too; of the last layer: empty
  Values gradient;         // of z, zero for inactive units
};
struct NaiveRow {
  std::vector<NaiveLayer> layers;
  double loss = 0;

  const Values& logits() const { return layers.back().pre_activation; }
};

// An amount that is added to a hidden unit's pre-activation behind its mask: the masked output becomes
// mask * phi(z) + phi(z + amount) - phi(z). For an active unit this is phi(z + amount).
struct Nudge {
  std::size_t layer, unit;
  double amount;
};

class NaiveNetwork {
 public:
  NaiveNetwork(const ParameterLayout& full, const Activation& activation, const Structure& structure,
               std::span<const float> parameters, std::size_t replica)
      : full_(full), activation_(activation), structure_(structure), parameters_(parameters), replica_(replica) {}

  std::size_t replica() const { return replica_; }
  const Activation& activation() const { return activation_; }
  std::size_t layers() const { return full_.layers.size() - trunk(); }
  std::size_t inputs(std::size_t layer) const { return static_cast<std::size_t>(layout(layer).inputs); }
  std::size_t units(std::size_t layer) const { return static_cast<std::size_t>(layout(layer).units); }
  bool active(std::size_t layer, std::size_t unit) const {
    return layer + 1 == layers() || structure_.mask(layer, static_cast<std::int32_t>(replica_))[unit] != 0;
  }
  // The index of a weight of a fully connected layer in the parameters of all networks.
  std::size_t place(std::size_t layer, std::size_t input, std::size_t unit) const {
    return place_in(trunk() + layer, input, unit);
  }
  double weight(std::size_t layer, std::size_t input, std::size_t unit) const {
    return double{parameters_[place(layer, input, unit)]};
  }

  NaiveRow pass(std::span<const float> image, std::int32_t label, const std::optional<Nudge>& nudge = {}) const {
    Values x(image.begin(), image.end());
    for (std::size_t i = 0; i < trunk(); ++i) x = convolved(i, x);
    NaiveRow row;
    for (std::size_t l = 0; l < layers(); ++l) {
      NaiveLayer layer{.input = x};
      x.assign(units(l), 0.0);
      for (std::size_t j = 0; j < units(l); ++j) {
        double z = bias(trunk() + l, j);
        for (std::size_t k = 0; k < inputs(l); ++k) z += layer.input[k] * weight(l, k, j);
        layer.pre_activation.push_back(z);
        if (l + 1 == layers()) continue;
        layer.output.push_back(phi(z).value);
        if (active(l, j)) x[j] = layer.output[j];
        if (nudge && nudge->layer == l && nudge->unit == j) x[j] += phi(z + nudge->amount).value - layer.output[j];
      }
      row.layers.push_back(std::move(layer));
    }
    double sum = 0;
    for (const double logit : row.logits()) sum += std::exp(logit);
    row.loss = std::log(sum) - row.logits()[static_cast<std::size_t>(label)];
    for (std::size_t c = 0; c < row.logits().size(); ++c)
      row.layers.back().gradient.push_back(std::exp(row.logits()[c]) / sum -
                                           (c == static_cast<std::size_t>(label) ? 1.0 : 0.0));
    for (std::size_t l = layers() - 1; l-- > 0;) {
      NaiveLayer& layer = row.layers[l];
      const Values& after = row.layers[l + 1].gradient;
      for (std::size_t j = 0; j < units(l); ++j) {
        double gradient = 0;
        for (std::size_t k = 0; k < after.size(); ++k) gradient += after[k] * weight(l + 1, j, k);
        layer.output_gradient.push_back(gradient);
        layer.gradient.push_back(active(l, j) ? gradient * phi(layer.pre_activation[j]).derivative : 0.0);
      }
    }
    return row;
  }

  // The replica's rows of a batch.
  std::vector<NaiveRow> pass(const Batch& batch) const {
    std::vector<NaiveRow> rows;
    for (std::size_t i = 0; i < batch.rows; ++i)
      rows.push_back(pass(image(batch, i), batch.labels[replica_ * batch.rows + i]));
    return rows;
  }
  std::span<const float> image(const Batch& batch, std::size_t row) const {
    const auto pixels = static_cast<std::size_t>(full_.architecture.image.size());
    return std::span(batch.images).subspan((replica_ * batch.rows + row) * pixels, pixels);
  }

 private:
  std::size_t trunk() const { return full_.architecture.trunk.size(); }
  const LayerLayout& layout(std::size_t layer) const { return full_.layers[trunk() + layer]; }
  NaiveFunction phi(double z) const { return naive_function(activation_, z); }

  std::size_t place_in(std::size_t index, std::size_t row, std::size_t unit) const {
    const auto& layer = full_.layers[index];
    return layer.weights_begin + replica_ * layer.weights_each + row * static_cast<std::size_t>(layer.units) + unit;
  }
  double bias(std::size_t index, std::size_t unit) const {
    const auto& layer = full_.layers[index];
    return double{parameters_[layer.bias_begin + replica_ * static_cast<std::size_t>(layer.units) + unit]};
  }

  // 3x3 convolution with padding 1, activation, 2x2 max-pooling; channels last.
  Values convolved(std::size_t index, const Values& x) const {
    const auto& layer = full_.layers[index];
    const std::int32_t height = layer.shape.image.height, width = layer.shape.image.width, channels = layer.inputs;
    Values pooled(static_cast<std::size_t>(height / 2 * (width / 2) * layer.units), -1e9);
    for (std::int32_t y = 0; y < height; ++y)
      for (std::int32_t at = 0; at < width; ++at)
        for (std::int32_t j = 0; j < layer.units; ++j) {
          double sum = bias(index, static_cast<std::size_t>(j));
          for (std::int32_t tap = 0; tap < 9; ++tap) {
            const std::int32_t from_y = y + tap / 3 - 1, from_x = at + tap % 3 - 1;
            if (from_y < 0 || from_x < 0 || from_y >= height || from_x >= width) continue;
            for (std::int32_t c = 0; c < channels; ++c)
              sum += x[static_cast<std::size_t>((from_y * width + from_x) * channels + c)] *
                     double{parameters_[place_in(index, static_cast<std::size_t>(tap * channels + c),
                                                 static_cast<std::size_t>(j))]};
          }
          double& best = pooled[static_cast<std::size_t>((y / 2 * (width / 2) + at / 2) * layer.units + j)];
          best = std::max(best, phi(sum).value);
        }
    return pooled;
  }

  const ParameterLayout& full_;
  Activation activation_;
  Structure structure_;
  std::span<const float> parameters_;
  std::size_t replica_;
};

inline double mean_loss(const std::vector<NaiveRow>& rows) {
  double sum = 0;
  for (const auto& row : rows) sum += row.loss;
  return sum / static_cast<double>(rows.size());
}

// Mean over the rows of the L2 distance between the logits.
inline double logit_distance(const std::vector<NaiveRow>& a, const std::vector<NaiveRow>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double squares = 0;
    for (std::size_t c = 0; c < a[i].logits().size(); ++c) squares += std::pow(a[i].logits()[c] - b[i].logits()[c], 2);
    sum += std::sqrt(squares);
  }
  return sum / static_cast<double>(a.size());
}

}  // namespace cambium
