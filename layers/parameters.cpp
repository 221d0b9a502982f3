#include "layers/parameters.hpp"

#include <cmath>

#include "sycl/error.hpp"
#include "sycl/philox.hpp"

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

// Where an element of a weight tensor in PyTorch's order lies in a replica's weights.
std::size_t place_of_weight(const LayerShape& shape, std::size_t element) {
  const auto units = static_cast<std::size_t>(shape.units), inputs = static_cast<std::size_t>(shape.inputs);
  if (shape.convolution) {
    const std::size_t position = element % 9, input = element / 9 % inputs, unit = element / 9 / inputs;
    return (position * inputs + input) * units + unit;
  }
  const std::size_t input = element % inputs, unit = element / inputs;
  const auto positions = static_cast<std::size_t>(shape.image.height) * static_cast<std::size_t>(shape.image.width);
  const auto channels = static_cast<std::size_t>(shape.image.channels);
  const std::size_t channel = input / positions, position = input % positions;
  return (position * channels + channel) * units + unit;
}

// Calls body(name, shape of one replica, place of an element) for the weights and the bias of every layer.
template <class Body>
void for_each_parameter(const ParameterLayout& full, Body&& body) {
  for (const auto& layer : full.layers) {
    const auto& shape = layer.shape;
    body(shape, shape.name + ".weight", shape.weight_shape(), layer.weights_each,
         [&](std::size_t replica, std::size_t element) {
           return layer.weights_begin + replica * layer.weights_each + place_of_weight(shape, element);
         });
    const auto units = static_cast<std::size_t>(shape.units);
    body(shape, shape.name + ".bias", std::vector<std::int64_t>{shape.units}, units,
         [&](std::size_t replica, std::size_t element) { return layer.bias_begin + replica * units + element; });
  }
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
  for_each_parameter(
      full, [&](const LayerShape&, const std::string& name, std::vector<std::int64_t> shape, std::size_t, const auto&) {
        shape.insert(shape.begin(), full.replicas);
        tensors.push_back({name, std::move(shape), {}});
      });
  return tensors;
}

std::vector<StateTensor> to_state_dict(const ParameterLayout& full, std::span<const float> flat) {
  expect(flat.size() == full.size, "{} values in a layout of {}", flat.size(), full.size);
  auto tensors = state_dict_shapes(full);
  const auto replicas = static_cast<std::size_t>(full.replicas);
  std::size_t next = 0;
  for_each_parameter(full, [&](const LayerShape&, const std::string&, const std::vector<std::int64_t>&,
                               std::size_t each, const auto& place) {
    auto& values = tensors[next++].values;
    values.resize(replicas * each);
    for (std::size_t r = 0; r < replicas; ++r)
      for (std::size_t i = 0; i < each; ++i) values[r * each + i] = flat[place(r, i)];
  });
  return tensors;
}

std::vector<float> from_state_dict(const ParameterLayout& full, const std::vector<StateTensor>& tensors) {
  std::vector<float> flat(full.size, 0.0f);
  const auto replicas = static_cast<std::size_t>(full.replicas);
  std::size_t next = 0;
  for_each_parameter(full, [&](const LayerShape&, const std::string& name, const std::vector<std::int64_t>&,
                               std::size_t each, const auto& place) {
    expect(next < tensors.size() && tensors[next].name == name && tensors[next].values.size() == replicas * each,
           "state dict does not fit the network at {}", name);
    const auto& values = tensors[next++].values;
    for (std::size_t r = 0; r < replicas; ++r)
      for (std::size_t i = 0; i < each; ++i) flat[place(r, i)] = values[r * each + i];
  });
  return flat;
}

std::vector<float> initial_parameters(const ParameterLayout& full, Initialisation initialisation,
                                      std::span<const std::uint32_t> seeds) {
  expect(seeds.size() == static_cast<std::size_t>(full.replicas), "{} seeds for {} replicas", seeds.size(),
         full.replicas);
  std::vector<float> flat(full.size, 0.0f);
  std::uint32_t parameter = 0;
  for_each_parameter(full, [&](const LayerShape& shape, const std::string&, const std::vector<std::int64_t>& dimensions,
                               std::size_t each, const auto& place) {
    const bool bias = dimensions.size() == 1;
    const bool stock = initialisation == Initialisation::kaiming_stock;
    const auto bound = static_cast<float>(std::sqrt((stock ? 1.0 : 6.0) / static_cast<double>(shape.fan_in())));
    if (!bias || stock)
      for (std::size_t r = 0; r < seeds.size(); ++r) {
        philox::Words words{};
        for (std::uint32_t i = 0; i < each; ++i) {
          if (i % 4 == 0) words = philox::generate({{i / 4, parameter, 0, 0}}, {{seeds[r], philox::initial_weights}});
          flat[place(r, i)] = bound * (2.0f * philox::uniform(words.word[i % 4]) - 1.0f);
        }
      }
    ++parameter;
  });
  return flat;
}

}  // namespace cambium
