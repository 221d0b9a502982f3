#include "layers/parameters.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/philox.hpp"

namespace cambium {
namespace {

// Every parameter starts on a cache line.
std::size_t aligned(std::size_t count) { return (count + 15) / 16 * 16; }

ParameterLayout lay_out(const Architecture& architecture, const Structure& structure, bool live) {
  const std::int32_t replicas = structure.replicas();
  ParameterLayout layout{.architecture = architecture, .replicas = replicas};
  const std::size_t trunk = architecture.trunk.size();
  const auto all = [&](std::int32_t width) {
    return std::vector<std::int32_t>(static_cast<std::size_t>(replicas), width);
  };
  std::size_t end = 0;
  std::size_t index = 0;
  for (const auto& shape : architecture.layers()) {
    LayerLayout layer{.shape = shape, .inputs = shape.inputs, .units = shape.units};
    layer.active_inputs = all(shape.inputs);
    layer.active_units = all(shape.units);
    if (live && index > trunk) {
      layer.inputs = layout.layers.back().units;
      layer.active_inputs = layout.layers.back().active_units;
    }
    if (live && index >= trunk && index - trunk < structure.layers()) {
      const std::size_t hidden = index - trunk;
      layer.units = structure.live_width(hidden);
      for (std::int32_t r = 0; r < replicas; ++r)
        layer.active_units[static_cast<std::size_t>(r)] = structure.active(hidden, r);
    }
    layer.weights_begin = end;
    layer.weights_each = static_cast<std::size_t>(shape.convolution ? 9 : 1) * static_cast<std::size_t>(layer.inputs) *
                         static_cast<std::size_t>(layer.units);
    end = aligned(end + static_cast<std::size_t>(replicas) * layer.weights_each);
    layer.bias_begin = end;
    end = aligned(end + static_cast<std::size_t>(replicas) * static_cast<std::size_t>(layer.units));
    layout.layers.push_back(std::move(layer));
    if (++index == trunk) layout.trunk_end = end;
  }
  layout.size = end;
  return layout;
}

// Calls body(index in a replica's weights) for the elements of a weight tensor in PyTorch's order.
template <class Body>
void for_each_weight(const LayerShape& shape, Body&& body) {
  const auto units = static_cast<std::size_t>(shape.units);
  const auto channels = static_cast<std::size_t>(shape.convolution ? shape.inputs : shape.image.channels);
  const auto positions =
      shape.convolution ? 9
                        : static_cast<std::size_t>(shape.image.height) * static_cast<std::size_t>(shape.image.width);
  for (std::size_t unit = 0; unit < units; ++unit)
    for (std::size_t channel = 0; channel < channels; ++channel)
      for (std::size_t position = 0; position < positions; ++position)
        body((position * channels + channel) * units + unit);
}

// A parameter of one layer under its name in the state dict.
struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;  // in PyTorch's layout
  const LayerLayout& layer;
  bool bias;

  std::size_t each() const { return bias ? static_cast<std::size_t>(layer.units) : layer.weights_each; }

  // Calls body(index in PyTorch's order over all replicas, index in the flat buffer).
  template <class Body>
  void for_each_element(std::size_t replicas, Body&& body) const {
    std::size_t element = 0;
    for (std::size_t r = 0; r < replicas; ++r)
      if (bias)
        for (std::size_t i = 0; i < each(); ++i, ++element) body(element, layer.bias_begin + element);
      else
        for_each_weight(layer.shape, [&](std::size_t place) {
          body(element, layer.weights_begin + r * layer.weights_each + place);
          ++element;
        });
  }
};

std::vector<Parameter> parameters(const ParameterLayout& full) {
  std::vector<Parameter> all;
  for (const auto& layer : full.layers) {
    all.push_back({layer.shape.name + ".weight", layer.shape.weight_shape(), layer, false});
    all.push_back({layer.shape.name + ".bias", {layer.shape.units}, layer, true});
  }
  return all;
}

}  // namespace

ParameterLayout full_layout(const Architecture& architecture, std::int32_t replicas) {
  return lay_out(architecture, Structure(architecture, replicas), false);
}

ParameterLayout live_layout(const Architecture& architecture, const Structure& structure) {
  return lay_out(architecture, structure, true);
}

std::vector<StateTensor> state_dict_shapes(const ParameterLayout& full) {
  std::vector<StateTensor> tensors;
  for (auto& parameter : parameters(full)) {
    parameter.shape.insert(parameter.shape.begin(), full.replicas);
    tensors.push_back({parameter.name, parameter.shape, {}});
  }
  return tensors;
}

std::vector<StateTensor> to_state_dict(const ParameterLayout& full, std::span<const float> flat) {
  expect(flat.size() == full.size, "{} values in a layout of {}", flat.size(), full.size);
  const auto replicas = static_cast<std::size_t>(full.replicas);
  auto tensors = state_dict_shapes(full);
  std::size_t next = 0;
  for (const auto& parameter : parameters(full)) {
    auto& values = tensors[next++].values;
    values.resize(replicas * parameter.each());
    parameter.for_each_element(replicas,
                               [&](std::size_t element, std::size_t place) { values[element] = flat[place]; });
  }
  return tensors;
}

std::vector<float> from_state_dict(const ParameterLayout& full, const std::vector<StateTensor>& tensors) {
  std::vector<float> flat(full.size, 0.0f);
  const auto replicas = static_cast<std::size_t>(full.replicas);
  std::size_t next = 0;
  for (const auto& parameter : parameters(full)) {
    expect(next < tensors.size() && tensors[next].name == parameter.name &&
               tensors[next].values.size() == replicas * parameter.each(),
           "state dict does not fit the network at {}", parameter.name);
    const auto& values = tensors[next++].values;
    parameter.for_each_element(replicas,
                               [&](std::size_t element, std::size_t place) { flat[place] = values[element]; });
  }
  return flat;
}

std::vector<float> initial_parameters(const ParameterLayout& full, Initialisation initialisation,
                                      std::span<const std::uint32_t> seeds, std::uint32_t draw) {
  expect(seeds.size() == static_cast<std::size_t>(full.replicas), "{} seeds for {} replicas", seeds.size(),
         full.replicas);
  const bool stock = initialisation == Initialisation::kaiming_stock;
  std::vector<float> flat(full.size, 0.0f);
  std::uint32_t number = 0;
  for (const auto& parameter : parameters(full)) {
    const auto fan_in = static_cast<double>(parameter.layer.shape.fan_in());
    const auto bound = static_cast<float>(std::sqrt((stock ? 1.0 : 6.0) / fan_in));
    philox::Words words{};
    if (!parameter.bias || stock)
      parameter.for_each_element(seeds.size(), [&](std::size_t element, std::size_t place) {
        const auto i = static_cast<std::uint32_t>(element % parameter.each());
        if (i % 4 == 0)
          words = philox::generate({{i / 4, number, draw, 0}},
                                   {{seeds[element / parameter.each()], philox::initial_weights}});
        flat[place] = bound * (2.0f * philox::uniform(words.word[i % 4]) - 1.0f);
      });
    ++number;
  }
  return flat;
}

}  // namespace cambium
