// A growth event to test interventions with: networks on the device, and masks before and after.
//
// Everything about a replica follows from its seed. The numbers of incumbents and newborns differ between replicas.
#pragma once

#include "base/philox.hpp"
#include "plasticity/full_form.hpp"
#include "tests/shared_device.hpp"

namespace cambium {

inline const Architecture small_mlp{"mlp", {6, 5, 1}, {}, {33, 21}, 10};
inline const Architecture small_convnet{"convnet", {8, 8, 3}, {5, 8}, {33, 20, 17}, 10};

// Units that are active with a chance, each drawn for itself; unit 4 always.
inline Structure drawn_structure(const Architecture& architecture, const std::vector<std::uint32_t>& seeds,
                                 float chance) {
  Structure structure(architecture, static_cast<std::int32_t>(seeds.size()));
  for (std::size_t l = 0; l < structure.layers(); ++l)
    for (std::size_t r = 0; r < seeds.size(); ++r) {
      std::vector<std::uint8_t> mask(static_cast<std::size_t>(structure.full_width(l)));
      for (std::size_t j = 0; j < mask.size(); ++j) {
        const auto word = philox::word({{seeds[r], 0}}, static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(l));
        mask[j] = j == 4 || philox::uniform(word) < chance;
      }
      structure.set_mask(l, static_cast<std::int32_t>(r), mask);
    }
  return structure;
}

// A weight matrix (units, inputs) or a bias (units) of one replica, as PyTorch has it.
struct Tensor {
  float* values;
  std::size_t inputs;
  float& operator()(std::size_t unit, std::size_t input = 0) const { return values[unit * inputs + input]; }
};

// Values of all parameters on the host.
struct HostValues {
  const ParameterLayout& layout;
  std::vector<StateTensor> tensors;

  HostValues(const ParameterLayout& layout, const std::vector<float>& flat)
      : layout(layout), tensors(to_state_dict(layout, flat)) {}
  std::vector<float> flat() const { return from_state_dict(layout, tensors); }

  // Of the fully connected layer behind `hidden_layer` hidden ones.
  Tensor weights(std::size_t hidden_layer, std::size_t replica) { return of(hidden_layer, replica, 0); }
  Tensor bias(std::size_t hidden_layer, std::size_t replica) { return of(hidden_layer, replica, 1); }

 private:
  Tensor of(std::size_t hidden_layer, std::size_t replica, std::size_t second) {
    auto& tensor = tensors[2 * (layout.architecture.trunk.size() + hidden_layer) + second];
    const auto units = static_cast<std::size_t>(tensor.shape[1]);
    const std::size_t inputs = second == 0 ? static_cast<std::size_t>(tensor.shape[2]) : 1;
    return {tensor.values.data() + replica * units * inputs, inputs};
  }
};

struct Event {
  Architecture architecture;
  std::vector<std::uint32_t> seeds;
  Device& device = shared_device();
  ParameterLayout layout{full_layout(architecture, static_cast<std::int32_t>(seeds.size()))};
  Structure before{drawn_structure(architecture, seeds, 0.35f)}, after{drawn_structure(architecture, seeds, 0.75f)};
  std::uint32_t number = 3;
  std::vector<float> start{initial_parameters(layout, Initialisation::kaiming_stock, seeds)};
  Buffer<float> parameters{device, start};
  std::vector<Buffer<float>> moments;
  std::vector<std::uint64_t> steps =
      std::vector<std::uint64_t>(layout.layers.size() * static_cast<std::size_t>(layout.replicas), 7);

  explicit Event(const Architecture& architecture, std::vector<std::uint32_t> seeds = {1, 2})
      : architecture(architecture), seeds(std::move(seeds)) {}

  FullForm networks() {
    FullForm form{.layout = layout, .parameters = parameters, .steps = steps};
    for (auto& set : moments) form.moments.push_back(set);
    return form;
  }
  Births births() const { return {before, after, seeds, number}; }

  std::size_t replicas() const { return seeds.size(); }
  std::size_t width(std::size_t layer) const { return static_cast<std::size_t>(before.full_width(layer)); }
  bool incumbent(std::size_t layer, std::size_t replica, std::size_t unit) const {
    return before.mask(layer, static_cast<std::int32_t>(replica))[unit] != 0;
  }
  bool newborn(std::size_t layer, std::size_t replica, std::size_t unit) const {
    return !incumbent(layer, replica, unit) && after.mask(layer, static_cast<std::int32_t>(replica))[unit] != 0;
  }
  std::vector<std::size_t> incumbents(std::size_t layer, std::size_t replica) const {
    std::vector<std::size_t> units;
    for (std::size_t j = 0; j < width(layer); ++j)
      if (incumbent(layer, replica, j)) units.push_back(j);
    return units;
  }

  // Calls body(hidden layer, replica, newborn).
  template <class Body>
  void for_each_newborn(Body&& body) const {
    for (std::size_t l = 0; l < before.layers(); ++l)
      for (std::size_t r = 0; r < replicas(); ++r)
        for (std::size_t j = 0; j < width(l); ++j)
          if (newborn(l, r, j)) body(l, r, j);
  }
  std::size_t donor(const Donors& donors, std::size_t layer, std::size_t replica, std::size_t unit) const {
    return static_cast<std::size_t>(donors[layer][replica * width(layer) + unit]);
  }

  // Makes an event of which one replica has no part.
  void spare(std::int32_t replica) {
    for (std::size_t l = 0; l < before.layers(); ++l) after.set_mask(l, replica, before.mask(l, replica));
  }

  HostValues at_start() const { return {layout, start}; }
  HostValues now() const { return {layout, parameters.download()}; }
};

inline std::string architecture_name(const testing::TestParamInfo<Architecture>& test) { return test.param.name; }
inline std::ostream& operator<<(std::ostream& stream, const Architecture& architecture) {
  return stream << architecture.name;
}

// What one replica of R has of values that are laid out for all of them.
inline std::vector<StateTensor> replica_of(const ParameterLayout& layout, const std::vector<float>& flat,
                                           std::size_t replica) {
  auto tensors = to_state_dict(layout, flat);
  for (auto& tensor : tensors) {
    const std::size_t each = tensor.values.size() / static_cast<std::size_t>(tensor.shape[0]);
    const auto begin = tensor.values.begin() + static_cast<std::ptrdiff_t>(replica * each);
    tensor.values = {begin, begin + static_cast<std::ptrdiff_t>(each)};
    tensor.shape[0] = 1;
  }
  return tensors;
}

}  // namespace cambium
