#include "plasticity/rewind.hpp"

#include <algorithm>

#include "plasticity/kernel_units.hpp"
#include "plasticity/removed_units_arguments.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

struct Layers {
  std::size_t first, end;
};

Layers layers_in(RewindSettings::Scope scope, const ParameterLayout& layout) {
  const std::size_t trunk = layout.architecture.trunk.size(), all = layout.layers.size();
  if (scope == RewindSettings::Scope::all) return {0, all};
  return {trunk, scope == RewindSettings::Scope::head ? all : all - 1};
}

}  // namespace

std::string name_of(RewindSettings::To to) {
  return to == RewindSettings::To::init ? "init" : to == RewindSettings::To::none ? "none" : "snapshot";
}

std::string name_of(RewindSettings::Scope scope) {
  return scope == RewindSettings::Scope::all ? "all" : scope == RewindSettings::Scope::head ? "head" : "masked";
}

void rewind(Device& device, const RewindSettings& settings, View<const float> earlier, const FullForm& networks) {
  const auto& layout = networks.layout;
  const auto [first, end] = layers_in(settings.scope, layout);
  // Layers follow each other in memory.
  const std::size_t begin = layout.layers[first].weights_begin;
  const std::size_t size = (end < layout.layers.size() ? layout.layers[end].weights_begin : layout.size) - begin;
  copy(device, earlier.slice(begin, size), networks.parameters.slice(begin, size));
  if (!settings.optimizer) return;
  for (const auto& moments : networks.moments) clear(device, moments.slice(begin, size));
  const auto replicas = static_cast<std::size_t>(layout.replicas);
  const auto steps = networks.steps.subspan(first * replicas, (end - first) * replicas);
  std::fill(steps.begin(), steps.end(), 0);
}

void clear_moments_of_removed(Device& device, const Structure& before, const Structure& after,
                              const FullForm& networks) {
  if (networks.moments.empty()) return;
  const auto& layout = networks.layout;
  const std::size_t trunk = layout.architecture.trunk.size();
  std::vector<Buffer<std::uint8_t>> removed;  // (R, units) per hidden layer
  for (std::size_t layer = 0; layer < before.layers(); ++layer) {
    auto flags = before.masks(layer);
    for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = flags[i] != 0 && after.masks(layer)[i] == 0;
    removed.emplace_back(device, flags);
  }
  const auto flags_of = [&](std::size_t hidden_layer) {
    return hidden_layer < removed.size() ? View<const std::uint8_t>(removed[hidden_layer]) : View<const std::uint8_t>();
  };
  for (const auto& moments : networks.moments)
    for (std::size_t i = trunk; i < layout.layers.size(); ++i) {
      const auto columns = flags_of(i - trunk);
      const auto rows = i > trunk ? flags_of(i - trunk - 1) : View<const std::uint8_t>();
      const auto count = static_cast<std::uint32_t>(layout.layers[i].units);
      const auto inputs = static_cast<std::uint32_t>(layout.layers[i].inputs);
      const auto replicas = static_cast<std::size_t>(layout.replicas);
      device.launch(Kernel(removed_units_unit, kernels::clear_removed), {replicas, inputs, count},
                    {layout.weights(moments, i), rows, columns, inputs, count});
      if (!columns.empty())
        device.launch(Kernel(removed_units_unit, kernels::clear_removed), {replicas, 1, count},
                      {layout.bias(moments, i), {}, columns, 1, count});
    }
  device.wait();  // the flags go
}

}  // namespace cambium
