#include "layers/network.hpp"

#include <algorithm>

#include "layers/softmax_cross_entropy.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

// Matrix products over replicas whose layers may have unequal widths: body(first replica, how many, inputs, units) for
// every run of equal ones, so that padding is not computed with and a replica's bits are its own.
template <class Body>
void for_equal_replicas(const LayerLayout& layer, Body&& body) {
  const auto& inputs = layer.active_inputs;
  const auto& units = layer.active_units;
  for (std::size_t first = 0, end = 0; first < units.size(); first = end) {
    while (end < units.size() && inputs[end] == inputs[first] && units[end] == units[first]) ++end;
    body(static_cast<std::int64_t>(first), static_cast<std::int64_t>(end - first), inputs[first], units[first]);
  }
}

// The upper left part of some of the replicas' matrices.
template <class T>
Matrices<T> part(const Matrices<T>& all, std::int64_t first, std::int64_t replicas, std::int64_t rows,
                 std::int64_t columns) {
  Matrices<T> result = all;
  const auto offset = static_cast<std::size_t>(first * all.stride);
  result.data = all.data.slice(offset, all.data.size() - offset);
  result.replicas = replicas;
  result.rows = rows;
  result.columns = columns;
  return result;
}

// The values (R, units) of replica `first` and those after it; of nothing, nothing.
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
    buffer.clear();  // padding must be zero, and stays so
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
    const auto pooled = pool_shape(convolution);
    const std::size_t outputs = rows * pooled.output_height() * pooled.output_width() * pooled.channels;
    convolution.h = Buffer<float>(device_, outputs);
    convolution.winner = Buffer<std::uint8_t>(device_, outputs);
    result->convolutions.push_back(std::move(convolution));
  }
  return result;
}

std::size_t Network::elements(std::size_t per_row) const { return std::size_t{replicas()} * pass_.rows * per_row; }

ConvolutionShape Network::convolution_shape(const Convolution& convolution) const {
  ConvolutionShape shape = convolution.shape;
  shape.batch = static_cast<std::int32_t>(pass_.rows);
  return shape;
}

PoolShape Network::pool_shape(const Convolution& convolution) const {
  const auto& shape = convolution.shape;
  return {replicas(), pass_.rows, static_cast<std::uint32_t>(shape.output_height()),
          static_cast<std::uint32_t>(shape.output_width()), static_cast<std::uint32_t>(shape.output_channels)};
}

ActivationNoise Network::noise(std::size_t index) const {
  const std::size_t trunk = convolutions().size();
  const bool hidden = index >= trunk;
  return {.training = pass_.training,
          .layer = static_cast<std::uint32_t>(index),
          .step = pass_.step,
          .seeds = seeds_,
          .full_width_unit = hidden ? units_[index - trunk] : View<const std::int32_t>(),
          .full_width = static_cast<std::uint32_t>(layout_.layers[index].shape.units)};
}

View<float> Network::input(std::uint32_t rows, bool shared) {
  expect(rows <= options_.capacity, "a batch of {} rows in a network made for {}", rows, options_.capacity);
  const auto each = static_cast<std::size_t>(layout_.architecture.image.size()) * rows;
  return trunk_->input.view().slice(0, shared ? each : each * replicas());
}

// What the first fully connected layer sees.
View<const float> Network::features() const {
  const auto each = static_cast<std::size_t>(layout_.architecture.features().size());
  if (!convolutions().empty()) return convolutions().back().h.view().slice(0, elements(each));
  return trunk_->input.view().slice(0, pass_.shared_input ? pass_.rows * each : elements(each));
}

Matrices<const float> Network::linear_input(std::size_t linear) const {
  const std::int64_t columns = layout_.layers[convolutions().size() + linear].inputs, rows = pass_.rows;
  if (linear > 0) {
    const Linear& before = linear_[linear - 1];
    const auto& values = keeps_pre_activation_ ? before.h : before.z;
    return {values.view().slice(0, elements(static_cast<std::size_t>(columns))), layout_.replicas, rows, columns};
  }
  const bool shared = pass_.shared_input && convolutions().empty();
  return {features(), layout_.replicas, rows, columns, columns, shared ? 0 : rows * columns};
}

void Network::forward(View<const float> parameters, const Pass& pass) {
  expect(parameters.size() == layout_.size, "{} parameters for a network of {}", parameters.size(), layout_.size);
  expect(pass.rows <= options_.capacity, "a batch of {} rows in a network made for {}", pass.rows, options_.capacity);
  expect(!pass.shared_input || convolutions().empty(), "the trunk needs an input for every replica");
  pass_ = pass;
  View<const float> image = trunk_->input.view().slice(
      0, convolutions().empty() ? 0 : elements(static_cast<std::size_t>(layout_.architecture.image.size())));
  for (std::size_t i = 0; i < convolutions().size(); ++i) {
    Convolution& convolution = convolutions()[i];
    const auto shape = convolution_shape(convolution);
    const auto pool = pool_shape(convolution);
    const auto z = convolution.z.view().slice(0, shape.output_size());
    const auto h = convolution.h.view().slice(0, pool.output_size());
    convolution_forward(device_, shape, image, layout_.weights(parameters, i), layout_.bias(parameters, i), z);
    activation_pool_forward(device_, activation_, pool, noise(i), z, h,
                            convolution.winner.view().slice(0, pool.output_size()));
    image = h;
  }
  for (std::size_t i = 0; i < linear_.size(); ++i) {
    const std::size_t index = convolutions().size() + i;
    const LayerLayout& layer = layout_.layers[index];
    const auto z = linear_[i].z.view().slice(0, elements(static_cast<std::size_t>(layer.units)));
    const auto x = linear_input(i);
    const Matrices<const float> weights(layout_.weights(parameters, index), layout_.replicas, layer.inputs,
                                        layer.units);
    const Matrices<float> product(z, layout_.replicas, pass_.rows, layer.units);
    const bool last = i + 1 == linear_.size();
    const bool fused = !last && !keeps_pre_activation_ && activation_.kind == Activation::Kind::relu &&
                       device_.gemm().fuses_epilogue() && std::ranges::min(layer.active_inputs) > 0;
    for_equal_replicas(layer, [&](std::int64_t first, std::int64_t count, std::int64_t inputs, std::int64_t units) {
      GemmEpilogue epilogue;
      if (fused)
        epilogue = {.bias = from_replica(layout_.bias(parameters, index), first, layer.units),
                    .mask = from_replica(masks_[i], first, layer.units),
                    .stride = layer.units,
                    .relu = true};
      gemm(device_, Transpose::no, Transpose::no, 1.0f, part(x, first, count, pass_.rows, inputs),
           part(weights, first, count, inputs, units), 0.0f, part(product, first, count, pass_.rows, units), epilogue);
    });
    if (last || fused) continue;
    activation_forward(device_, activation_, {replicas(), pass_.rows, static_cast<std::uint32_t>(layer.units)},
                       noise(index), z, layout_.bias(parameters, index), masks_[i],
                       keeps_pre_activation_ ? linear_[i].h.view().slice(0, z.size()) : z);
  }
}

void Network::loss(View<const float> parameters, View<const std::int32_t> labels, float scale, View<float> losses,
                   View<std::uint8_t> correct, View<const float> weights) {
  const auto classes = static_cast<std::uint32_t>(layout_.architecture.classes);
  const auto logits = linear_.back().z.view().slice(0, elements(classes));
  softmax_cross_entropy(device_, {replicas(), pass_.rows, classes}, scale, logits,
                        layout_.bias(parameters, layout_.layers.size() - 1), labels, logits, losses, correct, weights);
}

void Network::make_gradients(bool of_trunk) {
  for (auto& convolution : convolutions())
    if (of_trunk && convolution.h_gradient.size() == 0)
      convolution.h_gradient = Buffer<float>(device_, convolution.h.size());
  if (ones_.size() > 0) return;
  ones_ = Buffer<float>(device_, std::vector<float>(options_.capacity, 1.0f));
  for (std::size_t i = 0; i + 1 < linear_.size(); ++i) {
    linear_[i].gradient = Buffer<float>(device_, linear_[i].z.size());
    linear_[i].gradient.clear();
    if (!options_.observe) continue;
    linear_[i].z_gradient = Buffer<float>(device_, linear_[i].z.size());
    linear_[i].z_gradient.clear();
  }
}

void Network::backward(View<const float> parameters, const GradientTarget& target) {
  expect(!pass_.shared_input, "backward needs an input for every replica");
  make_gradients(!target.trunk.empty());
  for (std::size_t i = linear_.size(); i-- > 0;) backward_linear(i, parameters, target);
  if (!target.linear.empty()) backward_weights(target);
  if (!target.trunk.empty()) backward_trunk(parameters, target);
}

// The gradient of a layer's pre-activations, once backward has come there.
Matrices<const float> Network::gradient_of(std::size_t linear) const {
  const bool last = linear + 1 == linear_.size();
  const Linear& state = linear_[linear];
  const auto& buffer = last ? state.z : options_.observe ? state.z_gradient : state.gradient;
  const std::int32_t units = layout_.layers[convolutions().size() + linear].units;
  return {buffer.view().slice(0, elements(static_cast<std::size_t>(units))), layout_.replicas, pass_.rows, units};
}

// From the gradient of a layer's pre-activations to that of the layer before.
void Network::backward_linear(std::size_t linear, View<const float> parameters, const GradientTarget& target) {
  const std::size_t index = convolutions().size() + linear;
  const LayerLayout& layer = layout_.layers[index];
  const auto dz = gradient_of(linear);

  // To the outputs of the layer before, unless those are the images or of a trunk whose gradients nobody wants.
  if (linear > 0 || (index > 0 && !target.trunk.empty())) {
    Buffer<float>& dh_buffer = linear > 0 ? linear_[linear - 1].gradient : convolutions().back().h_gradient;
    const auto dh_view = dh_buffer.view().slice(0, elements(static_cast<std::size_t>(layer.inputs)));
    const Matrices<float> dh(dh_view, layout_.replicas, pass_.rows, layer.inputs);
    const Matrices<const float> weights(layout_.weights(parameters, index), layout_.replicas, layer.inputs,
                                        layer.units);
    for_equal_replicas(layer, [&](std::int64_t first, std::int64_t count, std::int64_t inputs, std::int64_t units) {
      gemm(device_, Transpose::no, Transpose::yes, 1.0f, part(dz, first, count, pass_.rows, units),
           part(weights, first, count, inputs, units), 0.0f, part(dh, first, count, pass_.rows, inputs));
    });
  }

  // Through the activation of the layer before.
  if (linear == 0) return;
  const LayerLayout& before = layout_.layers[index - 1];
  Linear& state = linear_[linear - 1];
  const std::size_t before_size = elements(static_cast<std::size_t>(before.units));
  activation_backward(device_, activation_, {replicas(), pass_.rows, static_cast<std::uint32_t>(before.units)},
                      noise(index - 1), state.z.view().slice(0, before_size), masks_[linear - 1],
                      state.gradient.view().slice(0, before_size),
                      (options_.observe ? state.z_gradient : state.gradient).view().slice(0, before_size),
                      target.linear.empty() ? View<float>() : layout_.bias(target.linear, index - 1), target.scale);
}

// To the weights of all fully connected layers, which are not needed any more, and to the last bias: independent
// products, the largest first.
void Network::backward_weights(const GradientTarget& target) {
  GemmGroup products(device_);
  for (std::size_t i = 0; i < linear_.size(); ++i) {
    const std::size_t index = convolutions().size() + i;
    const LayerLayout& layer = layout_.layers[index];
    const auto x = linear_input(i), dz = gradient_of(i);
    const Matrices<float> weights(layout_.weights(target.linear, index), layout_.replicas, layer.inputs, layer.units);
    for_equal_replicas(layer, [&](std::int64_t first, std::int64_t count, std::int64_t inputs, std::int64_t units) {
      products.add(Transpose::yes, Transpose::no, target.scale.alpha, part(x, first, count, pass_.rows, inputs),
                   part(dz, first, count, pass_.rows, units), target.scale.beta,
                   part(weights, first, count, inputs, units));
    });
  }
  const auto dz = gradient_of(linear_.size() - 1);
  const Matrices<const float> ones(ones_.view().slice(0, pass_.rows), layout_.replicas, 1, pass_.rows, pass_.rows, 0);
  products.add(Transpose::no, Transpose::no, target.scale.alpha, ones, dz, target.scale.beta,
               {layout_.bias(target.linear, layout_.layers.size() - 1), layout_.replicas, 1, dz.columns});
  products.run();
}

void Network::backward_trunk(View<const float> parameters, const GradientTarget& target) {
  for (std::size_t i = convolutions().size(); i-- > 0;) {
    Convolution& convolution = convolutions()[i];
    const auto shape = convolution_shape(convolution);
    const auto pool = pool_shape(convolution);
    const auto dz = convolution.z.view().slice(0, shape.output_size());
    activation_pool_backward(device_, activation_, pool, noise(i), convolution.h.view().slice(0, pool.output_size()),
                             convolution.winner.view().slice(0, pool.output_size()),
                             convolution.h_gradient.view().slice(0, pool.output_size()), dz);
    Buffer<float>& image = i > 0 ? convolutions()[i - 1].h : trunk_->input;
    convolution_backward_weights(device_, shape, image.view().slice(0, shape.input_size()), dz,
                                 layout_.weights(target.trunk, i), layout_.bias(target.trunk, i));
    if (i > 0)
      convolution_backward_data(device_, shape, dz, layout_.weights(parameters, i),
                                convolutions()[i - 1].h_gradient.view().slice(0, shape.input_size()));
  }
}

Network::Observed Network::observed(std::size_t hidden_layer) const {
  expect(options_.observe, "this network does not keep what an observer needs");
  const Linear& state = linear_[hidden_layer];
  const std::size_t size =
      elements(static_cast<std::size_t>(layout_.layers[convolutions().size() + hidden_layer].units));
  const auto first = [&](const Buffer<float>& buffer) {
    return buffer.size() == 0 ? View<const float>() : buffer.view().slice(0, size);
  };
  return {first(state.z), first(state.h), first(state.gradient), first(state.z_gradient)};
}

View<const float> Network::logits() const {
  return linear_.back().z.view().slice(0, elements(static_cast<std::size_t>(layout_.architecture.classes)));
}

}  // namespace cambium
