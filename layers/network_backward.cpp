// The backward pass of a network: from the gradient of the logits to those of the hidden layers and the parameters.

#include "layers/network.hpp"
#include "layers/replica_runs.hpp"
#include "sycl/device.hpp"

namespace cambium {

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

void Network::backward(const ForwardPass& pass, View<const float> parameters, const GradientTarget& target) {
  expect_current(pass);
  expect(!pass.shared_input, "backward needs an input for every replica");
  make_gradients(!target.trunk.empty());
  for (std::size_t i = linear_.size(); i-- > 0;) backward_linear(pass, i, parameters, target);
  if (!target.linear.empty()) backward_weights(pass, target);
  if (!target.trunk.empty()) backward_trunk(pass, parameters, target);
}

// The gradient of a layer's pre-activations, once backward has reached the layer.
Matrices<const float> Network::gradient_of(const ForwardPass& pass, std::size_t linear) const {
  const bool last = linear + 1 == linear_.size();
  const Linear& state = linear_[linear];
  const auto& buffer = last ? state.z : options_.observe ? state.z_gradient : state.gradient;
  const std::int32_t units = layout_.layers[convolutions().size() + linear].units;
  return {buffer.view().slice(0, elements(pass, static_cast<std::size_t>(units))), layout_.replicas, pass.rows, units};
}

// From the gradient of a layer's pre-activations to that of the layer before.
void Network::backward_linear(const ForwardPass& pass, std::size_t linear, View<const float> parameters,
                              const GradientTarget& target) {
  const std::size_t index = convolutions().size() + linear;
  const LayerLayout& layer = layout_.layers[index];
  const auto dz = gradient_of(pass, linear);

  // To the outputs of the layer before, unless those are the images, or belong to a trunk whose gradients have no
  // target.
  if (linear > 0 || (index > 0 && !target.trunk.empty())) {
    Buffer<float>& dh_buffer = linear > 0 ? linear_[linear - 1].gradient : convolutions().back().h_gradient;
    const auto dh_view = dh_buffer.view().slice(0, elements(pass, static_cast<std::size_t>(layer.inputs)));
    const Matrices<float> dh(dh_view, layout_.replicas, pass.rows, layer.inputs);
    const Matrices<const float> weights(layout_.weights(parameters, index), layout_.replicas, layer.inputs,
                                        layer.units);
    for_equal_replicas(layer, {}, [&](std::int64_t first, std::int64_t count, std::int64_t inputs, std::int64_t units) {
      gemm(device_, Transpose::no, Transpose::yes, 1.0f, part(dz, first, count, pass.rows, units),
           part(weights, first, count, inputs, units), 0.0f, part(dh, first, count, pass.rows, inputs));
    });
  }
  if (linear > 0) backward_activation(pass, linear - 1, target);
}

// Through the activation of a hidden layer, and to its bias. Frozen replicas are left out: their bias may be its own
// target.
void Network::backward_activation(const ForwardPass& pass, std::size_t hidden_layer, const GradientTarget& target) {
  const std::size_t index = convolutions().size() + hidden_layer;
  const auto units = static_cast<std::size_t>(layout_.layers[index].units), each = units * pass.rows;
  Linear& state = linear_[hidden_layer];
  const auto bias = target.linear.empty() ? View<float>() : layout_.bias(target.linear, index);
  for_active_runs(replicas(), target.frozen, [&](std::size_t first, std::size_t count) {
    const auto slice = [&]<class T>(View<T> values, std::size_t size) {
      return values.empty() ? values : values.slice(first * size, count * size);
    };
    auto own_noise = noise(pass, index);
    own_noise.seeds = slice(own_noise.seeds, 1);
    own_noise.full_width_unit = slice(own_noise.full_width_unit, units);
    activation_backward(
        device_, activation_, {static_cast<std::uint32_t>(count), pass.rows, static_cast<std::uint32_t>(units)},
        own_noise, slice(state.z.view(), each), slice(masks_[hidden_layer], units), slice(state.gradient.view(), each),
        slice((options_.observe ? state.z_gradient : state.gradient).view(), each), slice(bias, units), target.scale);
  });
}

// To the weights of all fully connected layers, which are not needed any more, and to the last bias: independent
// products, the largest first.
void Network::backward_weights(const ForwardPass& pass, const GradientTarget& target) {
  GemmGroup products(device_);
  for (std::size_t i = 0; i < linear_.size(); ++i) {
    const std::size_t index = convolutions().size() + i;
    const LayerLayout& layer = layout_.layers[index];
    const auto x = linear_input(pass, i), dz = gradient_of(pass, i);
    const Matrices<float> weights(layout_.weights(target.linear, index), layout_.replicas, layer.inputs, layer.units);
    for_equal_replicas(
        layer, target.frozen, [&](std::int64_t first, std::int64_t count, std::int64_t inputs, std::int64_t units) {
          products.add(Transpose::yes, Transpose::no, target.scale.alpha, part(x, first, count, pass.rows, inputs),
                       part(dz, first, count, pass.rows, units), target.scale.beta,
                       part(weights, first, count, inputs, units));
        });
  }
  const auto dz = gradient_of(pass, linear_.size() - 1);
  const Matrices<const float> ones(ones_.view().slice(0, pass.rows), layout_.replicas, 1, pass.rows, pass.rows, 0);
  const Matrices<float> bias(layout_.bias(target.linear, layout_.layers.size() - 1), layout_.replicas, 1, dz.columns);
  for_active_runs(replicas(), target.frozen, [&](std::size_t first_replica, std::size_t count_of_run) {
    const auto first = static_cast<std::int64_t>(first_replica), count = static_cast<std::int64_t>(count_of_run);
    products.add(Transpose::no, Transpose::no, target.scale.alpha, part(ones, first, count, 1, pass.rows),
                 part(dz, first, count, pass.rows, dz.columns), target.scale.beta,
                 part(bias, first, count, 1, dz.columns));
  });
  products.run();
}

void Network::backward_trunk(const ForwardPass& pass, View<const float> parameters, const GradientTarget& target) {
  for (std::size_t i = convolutions().size(); i-- > 0;) {
    Convolution& convolution = convolutions()[i];
    const auto shape = convolution_shape(convolution, pass.rows);
    const auto pool = pool_shape(convolution, pass.rows);
    const auto dz = convolution.z.view().slice(0, shape.output_size());
    activation_pool_backward(device_, activation_, pool, noise(pass, i),
                             convolution.h.view().slice(0, pool.output_size()),
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

}  // namespace cambium
