#include "plasticity/scoring_pass.hpp"

#include <chrono>

#include "plasticity/batch_means.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

std::vector<Buffer<float>> make_masks(Device& device, const ParameterLayout& full) {
  std::vector<Buffer<float>> masks;
  for (const std::int32_t width : full.architecture.hidden)
    masks.emplace_back(device, static_cast<std::size_t>(full.replicas) * static_cast<std::size_t>(width));
  return masks;
}

}  // namespace

ScoringPass::ScoringPass(Device& device, const ParameterLayout& full, const Activation& activation,
                         std::span<const std::uint32_t> seeds, std::uint32_t rows,
                         std::shared_ptr<Network::Trunk> trunk)
    : device_(device),
      rows_(rows),
      masks_(make_masks(device, full)),
      network_(device, full, activation, seeds, {}, {masks_.begin(), masks_.end()},
               {.capacity = rows, .observe = true, .trunk = std::move(trunk)}),
      labels_(device, seeds.size() * rows),
      losses_(device, seeds.size() * rows),
      correct_(device, seeds.size() * rows) {}

void ScoringPass::set_masks(const Structure& structure) {
  for (std::size_t layer = 0; layer < masks_.size(); ++layer) {
    const auto& bytes = structure.masks(layer);
    masks_[layer].upload(std::vector<float>(bytes.begin(), bytes.end()));
  }
}

std::vector<double> ScoringPass::observe(View<const float> parameters, bool gradients) {
  device_.wait();
  const auto start = std::chrono::steady_clock::now();
  pass_ = network_.forward(parameters, {.rows = rows_});
  logits_ = download(device_, network_.logits(pass_));
  network_.loss(pass_, parameters, labels_, 1.0f, losses_, correct_);
  if (gradients) network_.backward(pass_, parameters, {});
  const auto losses = losses_.download();
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return batch_means(losses, rows_);
}

}  // namespace cambium
