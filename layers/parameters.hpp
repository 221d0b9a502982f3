// The layout of the parameters of R networks in one flat buffer, and its conversion to PyTorch's state dict.
//
// Parameters are in the order of the layers, weights before biases, each for all replicas:
//   convolution   weights (R, 3, 3, inputs, units)    bias (R, units)
//   linear        weights (R, inputs, units)          bias (R, units)
// The trunk is one contiguous piece at the front. Optimizer state has the same layout in its own buffers. Images are
// flattened channels last here and channels first in PyTorch; only the conversions below handle the difference.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layers/architecture.hpp"
#include "layers/structure.hpp"
#include "sycl/memory.hpp"

namespace cambium {

struct LayerLayout {
  LayerShape shape;                    // full width
  std::int32_t inputs = 0, units = 0;  // in this layout; of a convolution: channels
  // The number of them that exist in each replica; the rest is padding that stays zero.
  std::vector<std::int32_t> active_inputs, active_units;
  std::size_t weights_begin = 0, weights_each = 0;  // of one replica
  std::size_t bias_begin = 0;

  std::size_t rows() const { return weights_each / static_cast<std::size_t>(units); }  // of a replica's weight matrix
};

struct ParameterLayout {
  Architecture architecture;
  std::int32_t replicas = 0;
  std::vector<LayerLayout> layers;
  std::size_t size = 0, trunk_end = 0;  // elements of the buffer, and of the trunk at its front

  template <class T>
  View<T> weights(View<T> flat, std::size_t layer) const {
    return flat.slice(layers[layer].weights_begin, static_cast<std::size_t>(replicas) * layers[layer].weights_each);
  }
  template <class T>
  View<T> bias(View<T> flat, std::size_t layer) const {
    return flat.slice(layers[layer].bias_begin,
                      static_cast<std::size_t>(replicas) * static_cast<std::size_t>(layers[layer].units));
  }
};

// All units of all layers, or only those that are live.
ParameterLayout full_layout(const Architecture& architecture, std::int32_t replicas);
ParameterLayout live_layout(const Architecture& architecture, const Structure& structure);

// A parameter of all replicas in PyTorch's layout; the first axis is the replica.
struct StateTensor {
  std::string name;  // fc1.weight, fc1.bias, ...
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};
std::vector<StateTensor> state_dict_shapes(const ParameterLayout& full);  // names and shapes, without values
std::vector<StateTensor> to_state_dict(const ParameterLayout& full, std::span<const float> flat);
// The tensors must be those of to_state_dict, in its order and shapes.
std::vector<float> from_state_dict(const ParameterLayout& full, const std::vector<StateTensor>& tensors);

enum class Initialisation { kaiming_relu, kaiming_stock };

// The initial parameters of networks with these seeds, in the full layout. A weight is a function of the seed, its
// index in PyTorch's layout, and `draw`: different draws give different networks.
std::vector<float> initial_parameters(const ParameterLayout& full, Initialisation initialisation,
                                      std::span<const std::uint32_t> seeds, std::uint32_t draw = 0);

}  // namespace cambium
