#include "plasticity/net2wider.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/philox.hpp"
#include "plasticity/intervention.hpp"
#include "plasticity/kernel_units.hpp"
#include "plasticity/net2wider_arguments.hpp"
#include "plasticity/newborns.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

PairArguments arguments(const NewbornPairs& pairs) { return {pairs.newborns.units, pairs.donors.units, pairs.slots()}; }

Donors draw_donors(const Births& births) {
  Donors donors = no_donors(births.after);
  for (std::size_t l = 0; l < donors.size(); ++l) {
    const auto all = birth_cohorts(births, l);
    const auto width = static_cast<std::size_t>(births.after.full_width(l));
    for (std::size_t r = 0; r < all.size(); ++r)
      for (std::size_t i = 0; i < all[r].newborns.size(); ++i) {
        const auto word = philox::word({{births.seeds[r], philox::donor}}, static_cast<std::uint32_t>(i),
                                       static_cast<std::uint32_t>(l), births.event);
        const auto& incumbents = all[r].incumbents;
        donors[l][r * width + static_cast<std::size_t>(all[r].newborns[i])] =
            incumbents[philox::below(word, static_cast<std::uint32_t>(incumbents.size()))];
      }
  }
  return donors;
}

}  // namespace

Donors widen(Device& device, const FullForm& networks, const Births& births) {
  expect_fit(networks, births);
  const auto& layout = networks.layout;
  const auto replicas = static_cast<std::size_t>(layout.replicas);
  Donors donors = draw_donors(births);
  for (std::size_t l = 0; l < donors.size(); ++l) {
    const NewbornPairs pairs(device, donors[l], layout.replicas);
    copy_incoming(device, layout, networks.parameters, l, pairs);
    const std::size_t behind = layout.architecture.trunk.size() + l + 1;
    const auto& consumers = layout.layers[behind];
    const auto columns = static_cast<std::size_t>(consumers.units);
    device.launch(Kernel(net2wider_unit, kernels::share_rows), {replicas, pairs.slots(), columns},
                  {layout.weights(networks.parameters, behind), arguments(pairs),
                   static_cast<std::uint32_t>(consumers.rows()), static_cast<std::uint32_t>(columns)});
  }
  return donors;
}

void add_insertion_noise(Device& device, const FullForm& networks, const Births& births, const Donors& donors,
                         float epsilon) {
  expect_fit(networks, births);
  expect(donors.size() == births.after.layers(), "donors of {} hidden layers for {}", donors.size(),
         births.after.layers());
  if (epsilon == 0.0f) return;
  const auto& layout = networks.layout;
  const auto replicas = static_cast<std::size_t>(layout.replicas);
  const Buffer<std::uint32_t> seeds(device, births.seeds);
  for (std::size_t l = 0; l < donors.size(); ++l) {
    const NewbornPairs pairs(device, donors[l], layout.replicas);
    const std::size_t index = layout.architecture.trunk.size() + l;
    const auto& layer = layout.layers[index];
    const auto weights = layout.weights(networks.parameters, index);
    const auto inputs = static_cast<std::uint32_t>(layer.inputs), units = static_cast<std::uint32_t>(layer.units);
    Buffer<float> deviations(device, replicas * pairs.slots());
    device.launch(Kernel(net2wider_unit, kernels::deviations), {replicas, 1, pairs.slots()},
                  {weights, arguments(pairs), deviations, inputs, units});
    device.launch(
        Kernel(net2wider_unit, kernels::add_noise), {replicas, inputs, pairs.slots()},
        {weights, arguments(pairs), deviations, seeds, inputs, units,
         static_cast<std::uint32_t>(layer.shape.image.channels), static_cast<std::uint32_t>(l), births.event, epsilon});
  }
}

float insertion_noise(std::uint32_t seed, std::uint32_t event, std::uint32_t hidden_layer, std::uint32_t unit,
                      std::uint32_t input) {
  const auto random = philox::generate({{input, unit, hidden_layer, event}}, {{seed, philox::insertion_noise}});
  const double length = std::sqrt(-2.0 * std::log(1.0 - double{philox::uniform(random.word[0])}));
  return static_cast<float>(length * std::cos(2.0 * std::numbers::pi * double{philox::uniform(random.word[1])}));
}

namespace {

#ifdef CAMBIUM_CHECKED
// Widening must not change what a network computes.
void expect_same_function(const BirthScene& scene, const std::vector<float>& before) {
  scene.stage.look(scene.networks.parameters, false);
  const auto& after = scene.stage.logits();
  float largest = 0, scale = 1;
  for (std::size_t i = 0; i < before.size(); ++i) {
    largest = std::max(largest, std::fabs(after[i] - before[i]));
    scale = std::max(scale, std::fabs(before[i]));
  }
  expect(!(largest > 1e-4f * scale), "Net2Wider changed logits by {} where they are up to {}", largest, scale);
}
#endif

Donors widen_at_birth(const BirthScene& scene) {
  [[maybe_unused]] const auto before = scene.stage.logits();
  auto donors = widen(scene.device, scene.networks, scene.births);
#ifdef CAMBIUM_CHECKED
  expect_same_function(scene, before);
#endif
  add_insertion_noise(scene.device, scene.networks, scene.births, donors, scene.settings.net2wider_epsilon);
  return donors;
}

}  // namespace

Intervention net2wider() {
  return {.name = "net2wider",
          .help = "newborns are copies of incumbents, and the network computes what it did before",
          .at_birth = widen_at_birth,
          .donor_name = "donor"};
}

}  // namespace cambium
