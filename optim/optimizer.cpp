#include "optim/optimizer.hpp"

#include <cmath>

#include "optim/kernel_units.hpp"
#include "optim/step_arguments.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit& unit_of(const OptimizerSettings& settings) {
  return settings.kind == OptimizerSettings::Kind::adam ? adam_unit : sgd_unit;
}

template <class T>
View<T> piece(View<T> view, std::size_t begin, std::size_t end) {
  return view.empty() ? view : view.slice(begin, end - begin);
}

StepArguments piece(StepArguments step, std::size_t begin, std::size_t end) {
  step.parameters = piece(step.parameters, begin, end);
  step.gradient = piece(step.gradient, begin, end);
  step.first = piece(step.first, begin, end);
  step.second = piece(step.second, begin, end);
  return step;
}

}  // namespace

Optimizer::Optimizer(Device& device, const OptimizerSettings& settings, const Compaction& compaction)
    : device_(device),
      settings_(settings),
      compaction_(compaction),
      steps_(compaction.full().layers.size() * static_cast<std::size_t>(compaction.full().replicas), 0) {
  for (std::size_t i = 0; i < moment_names().size(); ++i) moments_.push_back(compaction.make_values());
}

std::vector<std::string> Optimizer::moment_names() const {
  if (settings_.kind == OptimizerSettings::Kind::adam) return {"exp_avg", "exp_avg_sq"};
  if (settings_.momentum != 0.0f) return {"momentum_buffer"};
  return {};
}

// Room for gradients. Padding is never written, so it must start as zero.
View<float> Optimizer::gradient(std::size_t count) {
  if (gradient_.size() != count) {
    gradient_ = Buffer<float>(device_, count);
    gradient_.clear();
  }
  return gradient_;
}

GradientTarget Optimizer::target(View<float> parameters, float rate, bool with_speeds) {
  const ParameterLayout& layout = compaction_.live();
  if (!fuses(with_speeds)) {
    const auto all = gradient(layout.size);
    return {all, {1.0f, 0.0f}, all};
  }
  return {parameters, {-rate, 1.0f - rate * settings_.weight_decay}, gradient(layout.trunk_end)};
}

StepArguments Optimizer::arguments(View<float> parameters, float rate, std::uint64_t steps) {
  StepArguments result{.parameters = parameters,
                       .gradient = gradient_,
                       .rate = rate,
                       .weight_decay = settings_.weight_decay,
                       .momentum = settings_.momentum,
                       .beta1 = settings_.beta1,
                       .beta2 = settings_.beta2,
                       .epsilon = settings_.epsilon,
                       .root_correction2 = 1.0f};
  if (!moments_.empty()) result.first = moments_[0].live;
  if (moments_.size() > 1) result.second = moments_[1].live;
  if (settings_.kind == OptimizerSettings::Kind::adam) {
    const auto count = static_cast<double>(steps);
    result.rate = static_cast<float>(rate / (1.0 - std::pow(double{settings_.beta1}, count)));
    result.root_correction2 = static_cast<float>(std::sqrt(1.0 - std::pow(double{settings_.beta2}, count)));
  }
  return result;
}

template <class Body>
void Optimizer::for_equal_steps(std::size_t layer, Body&& body) const {
  const auto replicas = static_cast<std::size_t>(compaction_.full().replicas);
  const auto* steps = &steps_[layer * replicas];
  for (std::size_t first = 0, next = 0; first < replicas; first = next) {
    while (next < replicas && steps[next] == steps[first]) ++next;
    body(first, next - first, steps[first]);
  }
}

// Only Adam cares.
bool Optimizer::steps_differ() const {
  const auto replicas = static_cast<std::size_t>(compaction_.full().replicas);
  if (settings_.kind != OptimizerSettings::Kind::adam) return false;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (steps_[i] != steps_[i / replicas * replicas]) return true;
  return false;
}

void Optimizer::step(View<float> parameters, float rate, const UnitSpeeds& speeds) {
  for (auto& count : steps_) ++count;
  if (!speeds.empty() || steps_differ()) return step_by_layers(parameters, rate, speeds);
  const ParameterLayout& layout = compaction_.live();
  const auto replicas = static_cast<std::size_t>(layout.replicas);
  const auto steps = [&](std::size_t layer) { return steps_[layer * replicas]; };
  const std::size_t end = fuses(false) ? layout.trunk_end : layout.size;
  // One launch for every run of layers that have taken equally many steps.
  for (std::size_t first = 0, next = 0; first < layout.layers.size(); first = next) {
    while (next < layout.layers.size() && steps(next) == steps(first)) ++next;
    const std::size_t from = layout.layers[first].weights_begin;
    const std::size_t to = std::min(end, next < layout.layers.size() ? layout.layers[next].weights_begin : layout.size);
    if (from >= to) break;
    auto step = arguments(parameters, rate, steps(first));
    step.parameters = parameters.slice(0, end);
    device_.launch(Kernel(unit_of(settings_), kernels::step), to - from, piece(step, from, to));
  }
}

void Optimizer::step_by_layers(View<float> parameters, float rate, const UnitSpeeds& speeds) {
  const ParameterLayout& layout = compaction_.live();
  const std::size_t trunk = layout.architecture.trunk.size();
  const auto speeds_of = [&](std::size_t layer) {
    return layer >= trunk && layer - trunk < speeds.size() ? speeds[layer - trunk] : View<const float>();
  };
  // A matrix of some replicas, which may have speeds for its rows and for its columns.
  const auto launch = [&](std::size_t layer, std::size_t begin, std::size_t rows, std::size_t columns,
                          View<const float> of_rows, View<const float> of_columns) {
    for_equal_steps(layer, [&](std::size_t first, std::size_t count, std::uint64_t steps) {
      const std::size_t from = begin + first * rows * columns;
      device_.launch(Kernel(unit_of(settings_), kernels::step_with_speeds), {count, rows, columns},
                     {piece(arguments(parameters, rate, steps), from, from + count * rows * columns),
                      piece(of_rows, first * rows, (first + count) * rows),
                      piece(of_columns, first * columns, (first + count) * columns), static_cast<std::uint32_t>(rows),
                      static_cast<std::uint32_t>(columns)});
    });
  };
  for (std::size_t i = 0; i < layout.layers.size(); ++i) {
    const auto& layer = layout.layers[i];
    const auto units = static_cast<std::size_t>(layer.units);
    launch(i, layer.weights_begin, static_cast<std::size_t>(layer.rows()), units,
           i > 0 ? speeds_of(i - 1) : View<const float>(), speeds_of(i));
    launch(i, layer.bias_begin, 1, units, {}, speeds_of(i));
  }
}

void Optimizer::set_steps(std::vector<std::uint64_t> steps) {
  expect(steps.size() == steps_.size(), "{} step counts where there are {}", steps.size(), steps_.size());
  steps_ = std::move(steps);
}

void Optimizer::scatter() {
  for (auto& values : moments_) compaction_.scatter(values);
}

void Optimizer::gather() {
  for (auto& values : moments_) compaction_.gather(values);
  gradient_ = {};
}

}  // namespace cambium
