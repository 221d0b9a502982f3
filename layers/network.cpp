#include "layers/network.hpp"

#include <algorithm>

#include "layers/replica_runs.hpp"
#include "layers/softmax_cross_entropy.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

// The values (R, units) from replica `first` on; an empty view stays empty.
View<const float> from_replica(View<const float> values, std::int64_t first, std::int64_t units) {
  const auto offset = static_cast<std::size_t>(first * units);
  return values.empty() ? values : values.slice(offset, values.size() - offset);
}

}  // namespace

Network::Network(Device& device, ParameterLayout layout, const Activation& activation,
                 std::span<const std::uint32_t> seeds, std::vector<View<const std::int32_t>> units,
                 std::vector<View<const float>> masks, const Options& options)
    : device_(device),
      layout_(std::move(layout)),
      activation_(activation),
      seeds_(device, seeds),
      units_(std::move(units)),
      masks_(std::move(masks)),
      options_(options),
      keeps_pre_activation_(options.observe || activation.needs_pre_activation()) {
  const std::size_t hidden = layout_.architecture.hidden.size(), trunk = layout_.architecture.trunk.size();
  units_.resize(hidden);
  masks_.resize(hidden);
  trunk_ = options.trunk ? options.trunk : make_trunk();
  expect(trunk_->capacity >= options.capacity, "a trunk of {} rows for a network of {}", trunk_->capacity,
         options.capacity);
  const auto make = [&](std::size_t per_row) {
    Buffer<float> buffer(device_, static_cast<std::size_t>(layout_.replicas) * options_.capacity * per_row);
    buffer.clear();  // no kernel writes the padding, which must be zero
    return buffer;
  };
  for (std::size_t i = trunk; i < layout_.layers.size(); ++i) {
    Linear linear;
    linear.z = make(static_cast<std::size_t>(layout_.layers[i].units));
    if (keeps_pre_activation_ && i + 1 < layout_.layers.size())
      linear.h = make(static_cast<std::size_t>(layout_.layers[i].units));
    linear_.push_back(std::move(linear));
  }
}

std::vector<Network::Convolution>& Network::convolutions() const { return trunk_->convolutions; }

std::shared_ptr<Network::Trunk> Network::make_trunk() const {
  auto result = std::make_shared<Trunk>(Trunk{.capacity = options_.capacity});
  const std::size_t rows = std::size_t{replicas()} * options_.capacity;
  result->input = Buffer<float>(device_, rows * static_cast<std::size_t>(layout_.architecture.image.size()));
  for (std::size_t i = 0; i < layout_.architecture.trunk.size(); ++i) {
    const auto& shape = layout_.layers[i].shape;
    Convolution convolution{.shape = {.replicas = layout_.replicas,
                                      .batch = static_cast<std::int32_t>(options_.capacity),
                                      .height = shape.image.height,
                                      .width = shape.image.width,
                                      .input_channels = shape.inputs,
                                      .output_channels = shape.units}};
    convolution.z = Buffer<float>(device_, convolution.shape.output_size());
    const auto pooled = pool_shape(convolution, options_.capacity);
    const std::size_t outputs = rows * pooled.output_height() * pooled.output_width() * pooled.channels;
    convolution.h = Buffer<float>(device_, outputs);
    convolution.winner = Buffer<std::uint8_t>(device_, outputs);
    result->convolutions.push_back(std::move(convolution));
  }
  return result;
}

void Network::expect_current(const ForwardPass& pass) const {
  expect(pass.number == passes_, "pass {} of a network whose buffers hold pass {}", pass.number, passes_);
}

std::size_t Network::elements(const ForwardPass& pass, std::size_t per_row) const {
  return std::size_t{replicas()} * pass.rows * per_row;
}

ConvolutionShape Network::convolution_shape(const Convolution& convolution, std::uint32_t rows) const {
  ConvolutionShape shape = convolution.shape;
  shape.batch = static_cast<std::int32_t>(rows);
  return shape;
}

PoolShape Network::pool_shape(const Convolution& convolution, std::uint32_t rows) const {
  const auto& shape = convolution.shape;
  return {replicas(), rows, static_cast<std::uint32_t>(shape.output_height()),
          static_cast<std::uint32_t>(shape.output_width()), static_cast<std::uint32_t>(shape.output_channels)};
}

ActivationNoise Network::noise(const ForwardPass& pass, std::size_t index) const {
  const std::size_t trunk = convolutions().size();
  const bool hidden = index >= trunk;
  return {.training = pass.training,
          .layer = static_cast<std::uint32_t>(index),
          .step = pass.step,
          .seeds = seeds_,
          .full_width_unit = hidden ? units_[index - trunk] : View<const std::int32_t>(),
          .full_width = static_cast<std::uint32_t>(layout_.layers[index].shape.units)};
}

View<float> Network::input(std::uint32_t rows, bool shared) {
  expect(rows <= options_.capacity, "a batch of {} rows in a network made for {}", rows, options_.capacity);
  const auto each = static_cast<std::size_t>(layout_.architecture.image.size()) * rows;
  return trunk_->input.view().slice(0, shared ? each : each * replicas());
}

// The input of the first fully connected layer.
View<const float> Network::features(const ForwardPass& pass) const {
  const auto each = static_cast<std::size_t>(layout_.architecture.features().size());
  if (!convolutions().empty()) return convolutions().back().h.view().slice(0, elements(pass, each));
  return trunk_->input.view().slice(0, pass.shared_input ? pass.rows * each : elements(pass, each));
}

Matrices<const float> Network::linear_input(const ForwardPass& pass, std::size_t linear) const {
  const std::int64_t columns = layout_.layers[convolutions().size() + linear].inputs, rows = pass.rows;
  if (linear > 0) {
    const Linear& before = linear_[linear - 1];
    const auto& values = keeps_pre_activation_ ? before.h : before.z;
    return {values.view().slice(0, elements(pass, static_cast<std::size_t>(columns))), layout_.replicas, rows, columns};
  }
  const bool shared = pass.shared_input && convolutions().empty();
  return {features(pass), layout_.replicas, rows, columns, columns, shared ? 0 : rows * columns};
}

ForwardPass Network::forward(View<const float> parameters, const ForwardSettings& settings) {
  expect(parameters.size() == layout_.size, "{} parameters for a network of {}", parameters.size(), layout_.size);
  expect(settings.rows <= options_.capacity, "a batch of {} rows in a network made for {}", settings.rows,
         options_.capacity);
  const ForwardPass pass{settings, ++passes_};
  expect(!pass.shared_input || convolutions().empty(), "the trunk needs an input for every replica");
  View<const float> image = trunk_->input.view().slice(
      0, convolutions().empty() ? 0 : elements(pass, static_cast<std::size_t>(layout_.architecture.image.size())));
  for (std::size_t i = 0; i < convolutions().size(); ++i) {
    Convolution& convolution = convolutions()[i];
    const auto shape = convolution_shape(convolution, pass.rows);
    const auto pool = pool_shape(convolution, pass.rows);
    const auto z = convolution.z.view().slice(0, shape.output_size());
    const auto h = convolution.h.view().slice(0, pool.output_size());
    convolution_forward(device_, shape, image, layout_.weights(parameters, i), layout_.bias(parameters, i), z);
    activation_pool_forward(device_, activation_, pool, noise(pass, i), z, h,
                            convolution.winner.view().slice(0, pool.output_size()));
    image = h;
  }
  for (std::size_t i = 0; i < linear_.size(); ++i) {
    const std::size_t index = convolutions().size() + i;
    const LayerLayout& layer = layout_.layers[index];
    const auto z = linear_[i].z.view().slice(0, elements(pass, static_cast<std::size_t>(layer.units)));
    const auto x = linear_input(pass, i);
    const Matrices<const float> weights(layout_.weights(parameters, index), layout_.replicas, layer.inputs,
                                        layer.units);
    const Matrices<float> product(z, layout_.replicas, pass.rows, layer.units);
    const bool last = i + 1 == linear_.size();
    const bool fused = !last && !keeps_pre_activation_ && activation_.kind == Activation::Kind::relu &&
                       device_.gemm().fuses_epilogue() && std::ranges::min(layer.active_inputs) > 0;
    for_equal_replicas(layer, {}, [&](std::int64_t first, std::int64_t count, std::int64_t inputs, std::int64_t units) {
      GemmEpilogue epilogue;
      if (fused)
        epilogue = {.bias = from_replica(layout_.bias(parameters, index), first, layer.units),
                    .mask = from_replica(masks_[i], first, layer.units),
                    .stride = layer.units,
                    .relu = true};
      gemm(device_, Transpose::no, Transpose::no, 1.0f, part(x, first, count, pass.rows, inputs),
           part(weights, first, count, inputs, units), 0.0f, part(product, first, count, pass.rows, units), epilogue);
    });
    if (last || fused) continue;
    activation_forward(device_, activation_, {replicas(), pass.rows, static_cast<std::uint32_t>(layer.units)},
                       noise(pass, index), z, layout_.bias(parameters, index), masks_[i],
                       keeps_pre_activation_ ? linear_[i].h.view().slice(0, z.size()) : z);
  }
  return pass;
}

void Network::loss(const ForwardPass& pass, View<const float> parameters, View<const std::int32_t> labels, float scale,
                   View<float> losses, View<std::uint8_t> correct, View<const float> weights) {
  expect_current(pass);
  const auto classes = static_cast<std::uint32_t>(layout_.architecture.classes);
  const auto logits = linear_.back().z.view().slice(0, elements(pass, classes));
  softmax_cross_entropy(device_, {replicas(), pass.rows, classes}, scale, logits,
                        layout_.bias(parameters, layout_.layers.size() - 1), labels, logits, losses, correct, weights);
}

Network::Observed Network::observed(const ForwardPass& pass, std::size_t hidden_layer) const {
  expect_current(pass);
  expect(options_.observe, "this network was made without `observe`: it keeps no pre-activations");
  const Linear& state = linear_[hidden_layer];
  const std::size_t size =
      elements(pass, static_cast<std::size_t>(layout_.layers[convolutions().size() + hidden_layer].units));
  const auto first = [&](const Buffer<float>& buffer) {
    return buffer.size() == 0 ? View<const float>() : buffer.view().slice(0, size);
  };
  return {first(state.z), first(state.h), first(state.gradient), first(state.z_gradient)};
}

View<const float> Network::logits(const ForwardPass& pass) const {
  expect_current(pass);
  return linear_.back().z.view().slice(0, elements(pass, static_cast<std::size_t>(layout_.architecture.classes)));
}

}  // namespace cambium
