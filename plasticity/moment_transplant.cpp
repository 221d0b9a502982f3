#include "plasticity/moment_transplant.hpp"

#include <algorithm>
#include <cmath>

#include "plasticity/intervention.hpp"
#include "plasticity/kernel_units.hpp"
#include "plasticity/moment_transplant_arguments.hpp"
#include "plasticity/newborns.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

// (R, full width): for every newborn of a hidden layer the most similar incumbent.
std::vector<std::int32_t> most_similar(Device& device, const FullForm& networks,
                                       const std::vector<BirthCohorts>& cohorts, std::size_t hidden_layer) {
  const std::size_t index = networks.layout.architecture.trunk.size() + hidden_layer;
  const auto& layer = networks.layout.layers[index];
  std::vector<std::vector<std::int32_t>> lists[2];
  for (const auto& own : cohorts) {
    lists[0].push_back(own.newborns);
    lists[1].push_back(own.incumbents);
  }
  const UnitLists newborns(device, lists[0]), incumbents(device, lists[1]);
  const std::size_t replicas = cohorts.size(), rows = newborns.slots, columns = incumbents.slots;
  Buffer<float> products(device, replicas * rows * columns), squares(device, replicas * columns);
  constexpr std::size_t block = newborns_per_item;
  device.launch(Kernel(moment_transplant_unit, kernels::products), {replicas, (rows + block - 1) / block, columns},
                {networks.layout.weights(networks.parameters, index), newborns.units, incumbents.units, products,
                 squares, static_cast<std::uint32_t>(layer.inputs), static_cast<std::uint32_t>(layer.units),
                 newborns.slots, incumbents.slots});
  const auto product = products.download(), square = squares.download();

  std::vector<std::int32_t> donors(replicas * static_cast<std::size_t>(layer.units), -1);
  for (std::size_t r = 0; r < replicas; ++r)
    for (std::size_t i = 0; i < cohorts[r].newborns.size(); ++i) {
      // The newborn's own norm is left out: it is the same for all of its cosines.
      const auto cosine = [&](std::size_t k) {
        const double norm = std::sqrt(double{square[r * columns + k]});
        return norm == 0.0 ? 0.0 : product[(r * rows + i) * columns + k] / norm;
      };
      std::size_t best = 0;
      for (std::size_t k = 1; k < cohorts[r].incumbents.size(); ++k)
        if (cosine(k) > cosine(best)) best = k;
      donors[r * static_cast<std::size_t>(layer.units) + static_cast<std::size_t>(cohorts[r].newborns[i])] =
          cohorts[r].incumbents[best];
    }
  return donors;
}

}  // namespace

Donors transplant_moments(Device& device, const FullForm& networks, const Births& births) {
  expect_fit(networks, births);
  Donors donors = no_donors(births.after);
  if (networks.moments.empty()) return donors;
  for (std::size_t l = 0; l < donors.size(); ++l) {
    const auto all = birth_cohorts(births, l);
    if (std::all_of(all.begin(), all.end(), [](const auto& own) { return own.newborns.empty(); })) continue;
    donors[l] = most_similar(device, networks, all, l);
    const NewbornPairs pairs(device, donors[l], networks.layout.replicas);
    for (const auto& moments : networks.moments) {
      copy_incoming(device, networks.layout, moments, l, pairs);
      copy_outgoing(device, networks.layout, moments, l, pairs);
    }
  }
  return donors;
}

Intervention moment_transplant() {
  return {.name = "moment_transplant",
          .help = "newborns begin with the optimiser's moments of a similar incumbent",
          .why_not = [](const OptimizerSettings& optimizer) -> std::string {
            if (optimizer.kind == OptimizerSettings::Kind::adam || optimizer.momentum != 0.0f) return {};
            return "sgd without momentum has no moments to transplant; use adam, or momentum above 0";
          },
          .at_birth =
              [](const BirthScene& scene) { return transplant_moments(scene.device, scene.networks, scene.births); },
          .donor_name = "moment_donor"};
}

}  // namespace cambium
