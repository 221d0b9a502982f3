// Evaluates the networks of an edit on the event's batch: at full width, with masks, so that inactive units can be
// scored, too.
#pragma once

#include "layers/network.hpp"

namespace cambium {

class ScoringPass {
 public:
  // The trunk may be that of the networks in training.
  ScoringPass(Device& device, const ParameterLayout& full, const Activation& activation,
              std::span<const std::uint32_t> seeds, std::uint32_t rows, std::shared_ptr<Network::Trunk> trunk = {});

  // The caller writes the batch here: images (R, rows, ...) and labels (R, rows).
  View<float> input() { return network_.input(rows_); }
  View<std::int32_t> labels() { return labels_; }
  std::uint32_t rows() const { return rows_; }
  std::size_t classes() const { return static_cast<std::size_t>(network_.layout().architecture.classes); }

  void set_masks(const Structure& structure);

  // Runs one pass in evaluation mode and returns the mean loss of every network. With `gradients`, it also computes the
  // gradients of each image's own loss at the hidden layers.
  std::vector<double> observe(View<const float> parameters, bool gradients);

  // Of the last pass: the logits (R, rows, classes), without the last bias, and its context.
  const std::vector<float>& logits() const { return logits_; }
  const ForwardPass& pass() const { return pass_; }
  const Network& network() const { return network_; }

  double seconds() const { return seconds_; }  // total time of all passes

 private:
  Device& device_;
  std::uint32_t rows_;
  std::vector<Buffer<float>> masks_;
  Network network_;
  Buffer<std::int32_t> labels_;
  Buffer<float> losses_;
  Buffer<std::uint8_t> correct_;
  ForwardPass pass_;
  std::vector<float> logits_;
  double seconds_ = 0;
};

}  // namespace cambium
