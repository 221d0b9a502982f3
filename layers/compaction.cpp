#include "layers/compaction.hpp"

#include "layers/compaction_arguments.hpp"
#include "layers/kernel_units.hpp"
#include "sycl/device.hpp"

namespace cambium {

Compaction::Compaction(Device& device, const Architecture& architecture, Structure structure)
    : device_(device), structure_(std::move(structure)), full_(full_layout(architecture, structure_.replicas())) {
  restructure(structure_);
}

void Compaction::restructure(Structure structure) {
  structure_ = std::move(structure);
  live_ = live_layout(full_.architecture, structure_);
  units_.clear();
  for (std::size_t layer = 0; layer < structure_.layers(); ++layer)
    units_.emplace_back(device_, structure_.live_units(layer));
}

PairedValues Compaction::make_values() const {
  PairedValues values;
  values.live = Buffer<float>(device_, live_.size);
  values.live.clear();
  if (structure_.everything_active()) return values;
  values.full = Buffer<float>(device_, full_.size);
  values.full.clear();
  return values;
}

std::vector<float> Compaction::download(PairedValues& values) const {
  if (structure_.everything_active()) return values.live.download();
  copy(values.full, values.live, false);
  return values.full.download();
}

void Compaction::upload(std::span<const float> values, PairedValues& into) const {
  if (structure_.everything_active()) return into.live.upload(values);
  into.full.upload(values);
  copy(into.full, into.live, true);
}

void Compaction::copy(View<float> full, View<float> live, bool into_live) const {
  const auto replicas = static_cast<std::size_t>(full_.replicas);
  const std::size_t trunk = full_.architecture.trunk.size();
  const Kernel kernel(compaction_unit, into_live ? kernels::gather : kernels::scatter);
  const auto launch = [&](const CompactionArguments& arguments) {
    device_.launch(kernel, {replicas, arguments.rows, arguments.columns}, arguments);
  };
  for (std::size_t i = 0; i < full_.layers.size(); ++i) {
    const View<const std::int32_t> rows = i > trunk ? units(i - trunk - 1) : View<const std::int32_t>();
    const View<const std::int32_t> columns =
        i >= trunk && i - trunk < structure_.layers() ? units(i - trunk) : View<const std::int32_t>();
    const auto live_columns = static_cast<std::uint32_t>(live_.layers[i].units);
    const auto full_columns = static_cast<std::uint32_t>(full_.layers[i].units);
    launch({full_.weights(full, i), live_.weights(live, i), rows, columns,
            static_cast<std::uint32_t>(live_.layers[i].rows()), live_columns,
            static_cast<std::uint32_t>(full_.layers[i].rows()), full_columns});
    launch({full_.bias(full, i), live_.bias(live, i), {}, columns, 1, live_columns, 1, full_columns});
  }
}

void Compaction::scatter(PairedValues& values) const {
  if (structure_.everything_active())
    values.full = std::move(values.live);  // both layouts are equal
  else
    copy(values.full, values.live, false);
}

void Compaction::gather(PairedValues& values) const {
  if (structure_.everything_active()) {
    values.live = std::move(values.full);
    values.full = {};
    return;
  }
  // To allocate memory costs as much as to fill it, so the old memory is reused if it is large enough.
  if (values.live.size() < live_.size) values.live = Buffer<float>(device_, live_.size);
  values.live.shrink(live_.size);
  clear_gaps(values.live);
  copy(values.full, values.live, true);
}

// Parameters start at aligned indices; the gaps between them must be zero.
void Compaction::clear_gaps(View<float> live) const {
  for (std::size_t i = 0; i < live_.layers.size(); ++i) {
    const auto& layer = live_.layers[i];
    const auto replicas = static_cast<std::size_t>(live_.replicas);
    const std::size_t weights_end = layer.weights_begin + replicas * layer.weights_each;
    const std::size_t bias_end = layer.bias_begin + replicas * static_cast<std::size_t>(layer.units);
    const std::size_t next = i + 1 < live_.layers.size() ? live_.layers[i + 1].weights_begin : live_.size;
    clear(device_, live.slice(weights_end, layer.bias_begin - weights_end));
    clear(device_, live.slice(bias_end, next - bias_end));
  }
}

}  // namespace cambium
