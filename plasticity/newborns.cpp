#include "plasticity/newborns.hpp"

#include <algorithm>

#include "plasticity/kernel_units.hpp"
#include "plasticity/newborns_arguments.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

// Per replica, the newborns or their donors, in the order of the donors.
std::vector<std::vector<std::int32_t>> paired(std::span<const std::int32_t> donors, std::int32_t replicas,
                                              bool newborns) {
  std::vector<std::vector<std::int32_t>> lists;
  const std::size_t width = donors.size() / static_cast<std::size_t>(replicas);
  for (std::size_t r = 0; r < static_cast<std::size_t>(replicas); ++r) {
    const auto own = donors.subspan(r * width, width);
    auto& list = lists.emplace_back();
    for (std::size_t j = 0; j < width; ++j)
      if (own[j] >= 0) list.push_back(static_cast<std::int32_t>(j));
    const auto donor = [&](std::int32_t newborn) { return own[static_cast<std::size_t>(newborn)]; };
    std::stable_sort(list.begin(), list.end(), [&](auto a, auto b) { return donor(a) < donor(b); });
    if (!newborns) std::transform(list.begin(), list.end(), list.begin(), donor);
  }
  return lists;
}

}  // namespace

std::vector<BirthCohorts> birth_cohorts(const Births& births, std::size_t hidden_layer) {
  std::vector<BirthCohorts> all;
  for (std::int32_t r = 0; r < births.before.replicas(); ++r) {
    const auto before = births.before.mask(hidden_layer, r), after = births.after.mask(hidden_layer, r);
    auto& own = all.emplace_back();
    for (std::size_t j = 0; j < before.size(); ++j)
      if (before[j] != 0)
        own.incumbents.push_back(static_cast<std::int32_t>(j));
      else if (after[j] != 0)
        own.newborns.push_back(static_cast<std::int32_t>(j));
    expect(own.newborns.empty() || !own.incumbents.empty(),
           "hidden layer {} of replica {} has newborns, but no unit was active before", hidden_layer, r);
  }
  return all;
}

Donors no_donors(const Structure& structure) {
  Donors donors;
  for (std::size_t l = 0; l < structure.layers(); ++l) donors.emplace_back(structure.masks(l).size(), -1);
  return donors;
}

void expect_fit(const FullForm& networks, const Births& births) {
  const auto& hidden = networks.layout.architecture.hidden;
  for (const auto* structure : {&births.before, &births.after}) {
    expect(structure->replicas() == networks.layout.replicas, "masks of {} replicas for {} networks",
           structure->replicas(), networks.layout.replicas);
    expect(structure->layers() == hidden.size(), "masks of {} hidden layers for {}", structure->layers(),
           hidden.size());
    for (std::size_t l = 0; l < hidden.size(); ++l)
      expect(structure->full_width(l) == hidden[l], "masks of {} units for a hidden layer of {}",
             structure->full_width(l), hidden[l]);
  }
  expect(births.seeds.size() == static_cast<std::size_t>(networks.layout.replicas), "{} seeds for {} networks",
         births.seeds.size(), networks.layout.replicas);
  const auto expect_all = [&](View<const float> values) {
    expect(values.size() == networks.layout.size, "{} values in a layout of {}", values.size(), networks.layout.size);
  };
  expect_all(networks.parameters);
  for (const auto& moments : networks.moments) expect_all(moments);
}

UnitLists::UnitLists(Device& device, const std::vector<std::vector<std::int32_t>>& lists) : slots(0) {
  for (const auto& list : lists) slots = std::max(slots, static_cast<std::uint32_t>(list.size()));
  std::vector<std::int32_t> padded(lists.size() * slots, -1);
  for (std::size_t r = 0; r < lists.size(); ++r)
    std::copy(lists[r].begin(), lists[r].end(), padded.begin() + static_cast<std::ptrdiff_t>(r * slots));
  units = Buffer<std::int32_t>(device, padded);
}

NewbornPairs::NewbornPairs(Device& device, std::span<const std::int32_t> donors, std::int32_t replicas)
    : newborns(device, paired(donors, replicas, true)), donors(device, paired(donors, replicas, false)) {}

void copy_incoming(Device& device, const ParameterLayout& layout, View<float> values, std::size_t hidden_layer,
                   const NewbornPairs& pairs) {
  const std::size_t index = layout.architecture.trunk.size() + hidden_layer;
  const auto& layer = layout.layers[index];
  const auto copy = [&](View<float> matrix, std::size_t rows) {
    device.launch(Kernel(newborns_unit, kernels::copy_columns),
                  {static_cast<std::size_t>(layout.replicas), rows, pairs.slots()},
                  {matrix, pairs.newborns.units, pairs.donors.units, pairs.slots(), static_cast<std::uint32_t>(rows),
                   static_cast<std::uint32_t>(layer.units)});
  };
  copy(layout.weights(values, index), layer.rows());
  copy(layout.bias(values, index), 1);
}

void copy_outgoing(Device& device, const ParameterLayout& layout, View<float> values, std::size_t hidden_layer,
                   const NewbornPairs& pairs) {
  const std::size_t index = layout.architecture.trunk.size() + hidden_layer + 1;
  const auto& consumers = layout.layers[index];
  const auto columns = static_cast<std::size_t>(consumers.units);
  device.launch(Kernel(newborns_unit, kernels::copy_rows),
                {static_cast<std::size_t>(layout.replicas), pairs.slots(), columns},
                {layout.weights(values, index), pairs.newborns.units, pairs.donors.units, pairs.slots(),
                 static_cast<std::uint32_t>(consumers.rows()), static_cast<std::uint32_t>(columns)});
}

}  // namespace cambium
