#include "plasticity/signals.hpp"

#include <array>

#include "plasticity/batch_means.hpp"
#include "plasticity/kernel_units.hpp"
#include "plasticity/signals_arguments.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

// The tables of a layer, in the order in which they stand on the device.
using Signal = std::vector<float> UnitSignals::*;
constexpr std::array<Signal, 3> activity_signals{&UnitSignals::activation_rate, &UnitSignals::gradient_magnitude,
                                                 &UnitSignals::mean_output};
constexpr std::array<Signal, 6> norm_signals{&UnitSignals::incoming_norm,          &UnitSignals::incoming_gradient_norm,
                                             &UnitSignals::incoming_displacement,  &UnitSignals::outgoing_norm,
                                             &UnitSignals::outgoing_gradient_norm, &UnitSignals::outgoing_displacement};

bool is_displacement(Signal signal) {
  return signal == &UnitSignals::incoming_displacement || signal == &UnitSignals::outgoing_displacement;
}

}  // namespace

Observer::Observer(Device& device, ParameterLayout live, const Activation& activation,
                   std::span<const std::uint32_t> seeds, std::vector<View<const std::int32_t>> units,
                   std::uint32_t most_rows, std::shared_ptr<Network::Trunk> trunk)
    : device_(device),
      network_(device, std::move(live), activation, seeds, std::move(units), {},
               {.capacity = most_rows, .observe = true, .trunk = std::move(trunk)}),
      gradient_(device, network_.layout().size),
      losses_(device, std::size_t{replicas()} * most_rows),
      correct_(device, losses_.size()) {
  gradient_.clear();  // padding is never written
  const ParameterLayout& layout = network_.layout();
  std::size_t begin = 0;
  for (std::size_t index = layout.architecture.trunk.size(); index + 1 < layout.layers.size(); ++index) {
    const LayerLayout& layer = layout.layers[index];
    const std::size_t size = std::size_t{replicas()} * static_cast<std::size_t>(layer.units);
    hidden_.push_back({index, begin, size, Buffer<std::int32_t>(device, layer.active_units)});
    begin += size;
  }
  activity_ = Buffer<float>(device, activity_signals.size() * begin);
  norms_ = Buffer<float>(device, norm_signals.size() * begin);
}

Observation Observer::observe(View<const float> parameters, View<const std::int32_t> labels, std::uint32_t rows,
                              float tau, View<const float> reference) {
  expect(reference.empty() || reference.size() == network_.layout().size, "a reference of {} values for {} parameters",
         reference.size(), network_.layout().size);
  Observation result{.classes = static_cast<std::size_t>(network_.layout().architecture.classes)};
  forward_and_loss(parameters, labels, rows, &result.logits);
  network_.backward(parameters, {.linear = gradient_, .scale = {1.0f / static_cast<float>(rows), 0.0f}});
  reduce_activity(rows, tau);
  reduce_norms(parameters, reference);
  result.layers = download(true, !reference.empty());

  std::vector<float> losses(std::size_t{replicas()} * rows);
  losses_.download(0, losses);
  result.loss = batch_means(losses, rows);
  return result;
}

std::vector<UnitSignals> Observer::observe_activity(View<const float> parameters, View<const std::int32_t> labels,
                                                    std::uint32_t rows, float tau) {
  forward_and_loss(parameters, labels, rows, nullptr);
  network_.backward(parameters, {});
  reduce_activity(rows, tau);
  return download(false, false);
}

// Gradients are those of each row's own loss.
void Observer::forward_and_loss(View<const float> parameters, View<const std::int32_t> labels, std::uint32_t rows,
                                std::vector<float>* logits) {
  network_.forward(parameters, {.rows = rows});
  if (logits != nullptr) {
    const ParameterLayout& layout = network_.layout();
    *logits = cambium::download(device_, network_.logits());
    const auto bias = cambium::download(device_, layout.bias(parameters, layout.layers.size() - 1));
    const std::size_t classes = bias.size() / replicas(), each = logits->size() / replicas();
    for (std::size_t i = 0; i < logits->size(); ++i) (*logits)[i] += bias[i / each * classes + i % classes];
  }
  const std::size_t count = std::size_t{replicas()} * rows;
  network_.loss(parameters, labels, 1.0f, losses_.view().slice(0, count), correct_.view().slice(0, count));
}

void Observer::reduce_activity(std::uint32_t rows, float tau) {
  for (std::size_t l = 0; l < hidden_.size(); ++l) {
    const Hidden& hidden = hidden_[l];
    const auto seen = network_.observed(l);
    const auto units = static_cast<std::uint32_t>(network_.layout().layers[hidden.index].units);
    const auto table = [&](std::size_t k) {
      return activity_.view().slice(activity_signals.size() * hidden.begin + k * hidden.size, hidden.size);
    };
    device_.launch(Kernel(signals_unit, kernels::activity), {1, replicas(), units},
                   {seen.output, seen.pre_activation_gradient, hidden.active, table(0), table(1), table(2), replicas(),
                    rows, units, tau});
  }
}

void Observer::reduce_norms(View<const float> parameters, View<const float> reference) {
  const ParameterLayout& layout = network_.layout();
  for (const Hidden& hidden : hidden_) {
    const auto units = static_cast<std::uint32_t>(layout.layers[hidden.index].units);
    const auto table = [&](std::size_t k) {
      return norms_.view().slice(norm_signals.size() * hidden.begin + k * hidden.size, hidden.size);
    };
    // Columns of the layer's own matrix, then rows of the next one.
    for (const bool outgoing : {false, true}) {
      const std::size_t index = hidden.index + (outgoing ? 1 : 0), first = outgoing ? 3 : 0;
      const LayerLayout& layer = layout.layers[index];
      const auto columns = static_cast<std::uint32_t>(layer.units);
      device_.launch(Kernel(signals_unit, kernels::norms), {1, replicas(), units},
                     {.weights = layout.weights(parameters, index),
                      .gradient = layout.weights(gradient_.view(), index),
                      .reference = reference.empty() ? reference : layout.weights(reference, index),
                      .active = hidden.active,
                      .norm = table(first),
                      .gradient_norm = table(first + 1),
                      .displacement = table(first + 2),
                      .replicas = replicas(),
                      .units = units,
                      .length = outgoing ? columns : static_cast<std::uint32_t>(layer.rows()),
                      .unit_stride = outgoing ? columns : 1,
                      .stride = outgoing ? 1 : columns,
                      .each = static_cast<std::uint32_t>(layer.weights_each)});
    }
  }
}

std::vector<UnitSignals> Observer::download(bool norms, bool displacements) const {
  std::vector<UnitSignals> layers(hidden_.size());
  const auto take = [&](const auto& signals, const std::vector<float>& tables) {
    for (std::size_t l = 0; l < hidden_.size(); ++l)
      for (std::size_t k = 0; k < signals.size(); ++k) {
        if (is_displacement(signals[k]) && !displacements) continue;
        const auto begin =
            tables.begin() + static_cast<std::ptrdiff_t>(signals.size() * hidden_[l].begin + k * hidden_[l].size);
        (layers[l].*signals[k]).assign(begin, begin + static_cast<std::ptrdiff_t>(hidden_[l].size));
      }
  };
  take(activity_signals, activity_.download());
  if (norms) take(norm_signals, norms_.download());
  return layers;
}

std::vector<UnitSignals> mean_activity(std::span<const std::vector<UnitSignals>> batches) {
  expect(!batches.empty(), "the mean over no batches");
  std::vector<UnitSignals> means(batches[0].size());
  for (std::size_t l = 0; l < means.size(); ++l)
    for (const Signal signal : activity_signals) {
      std::vector<double> sums((batches[0][l].*signal).size(), 0.0);
      for (const auto& batch : batches) {
        const auto& values = batch[l].*signal;
        expect(values.size() == sums.size(), "batches of {} and {} units", sums.size(), values.size());
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += double{values[i]};
      }
      for (const double sum : sums)
        (means[l].*signal).push_back(static_cast<float>(sum / static_cast<double>(batches.size())));
    }
  return means;
}

std::vector<double> logit_distance(const Observation& before, const Observation& after) {
  expect(after.loss.size() == before.loss.size() && after.classes == before.classes,
         "distance between the logits of {} and {} networks", before.loss.size(), after.loss.size());
  return logit_distance(before.logits, after.logits, before.loss.size(), before.classes);
}

}  // namespace cambium
