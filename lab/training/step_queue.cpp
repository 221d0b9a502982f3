#include "lab/training/step_queue.hpp"

#include <algorithm>

#include "sycl/device.hpp"

namespace cambium {
namespace {

// The most rows and steps of a plan; a plan has at least one step.
constexpr std::size_t most_rows = std::size_t{1} << 20;
constexpr std::size_t most_steps = 4096;

}  // namespace

StepQueue::StepQueue(Device& device, const DeviceImages& images, Curriculum& curriculum, Trainer& trainer)
    : device_(device),
      images_(images),
      curriculum_(curriculum),
      trainer_(trainer),
      rows_(curriculum.settings().rows()),
      capacity_(static_cast<std::uint32_t>(
          std::clamp<std::size_t>(most_rows / (curriculum.replicas() * rows_), 1, most_steps))),
      indices_(device, std::size_t{capacity_} * curriculum.replicas() * rows_),
      weights_(device, std::size_t{capacity_} * curriculum.replicas()),
      losses_(device, indices_.size()),
      correct_(device, indices_.size()) {}

std::uint32_t StepQueue::plan(std::uint32_t first, std::uint32_t count) {
  const std::size_t replicas = curriculum_.replicas();
  const std::uint32_t steps = std::min(count, capacity_);
  std::vector<std::int32_t> indices(steps * replicas * rows_);
  std::vector<float> weights(steps * replicas);
  counts_.resize(steps * replicas);
  frozen_.resize(counts_.size());
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] = curriculum_.fill(i % replicas, first + static_cast<std::uint32_t>(i / replicas),
                                  std::span(indices).subspan(i * rows_, rows_));
    frozen_[i] = counts_[i] == 0;
    weights[i] = counts_[i] == 0 ? 0.0f : 1.0f / static_cast<float>(counts_[i]);
  }
  upload(device_, indices, indices_.view().slice(0, indices.size()));
  upload(device_, weights, weights_.view().slice(0, weights.size()));
  first_ = first;
  return steps;
}

void StepQueue::enqueue(std::uint32_t step, std::uint64_t number, double rate, const TaskView& task) {
  const std::size_t replicas = curriculum_.replicas(), place = step - first_, each = replicas * rows_;
  const auto frozen = FrozenReplicas(frozen_).subspan(place * replicas, replicas);
  const bool any_frozen = std::find(frozen.begin(), frozen.end(), 1) != frozen.end();
  trainer_.step(images_, {.indices = indices_.view().slice(place * each, each),
                          .rows = rows_,
                          .step = number,
                          .rate = static_cast<float>(rate),
                          .losses = losses_.view().slice(place * each, each),
                          .correct = correct_.view().slice(place * each, each),
                          .weights = weights_.view().slice(place * replicas, replicas),
                          .task = task,
                          .frozen = any_frozen ? frozen : FrozenReplicas()});
}

std::vector<StepResult> StepQueue::collect(std::uint32_t end) {
  if (end == first_) return {};
  const std::size_t replicas = curriculum_.replicas(), steps = end - first_;
  std::vector<float> losses(steps * replicas * rows_);
  std::vector<std::uint8_t> correct(losses.size());
  losses_.download(0, losses);
  correct_.download(0, correct);
  std::vector<StepResult> results(steps * replicas);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].images = counts_[i];
    for (std::size_t row = i * rows_; row < i * rows_ + counts_[i]; ++row) {
      results[i].loss += double{losses[row]};
      results[i].correct += correct[row];
    }
  }
  return results;
}

}  // namespace cambium
