// Where an edit looks at networks: at full width, with masks, on one batch, so that inactive units can be seen, too.
#pragma once

#include "layers/network.hpp"
#include "plasticity/full_form.hpp"

namespace cambium {

class ScoringPass {
 public:
  // The trunk may be that of the networks in training.
  ScoringPass(Device& device, const ParameterLayout& full, const Activation& activation,
              std::span<const std::uint32_t> seeds, std::uint32_t rows, std::shared_ptr<Network::Trunk> trunk = {});

  // The batch: the caller puts images and labels here, (R, rows, ...) and (R, rows).
  View<float> input() { return network_.input(rows_); }
  View<std::int32_t> labels() { return labels_; }
  std::uint32_t rows() const { return rows_; }
  std::size_t classes() const { return static_cast<std::size_t>(network_.layout().architecture.classes); }

  // Which units are active from now on.
  void set_masks(const Structure& structure);

  // One pass in evaluation mode; the mean loss of every network. With gradients they are those of every image's own
  // loss, at the hidden layers.
  std::vector<double> look(View<const float> parameters, bool gradients);

  // As they were before the last look's gradients: (R, rows, classes) without the last bias.
  const std::vector<float>& logits() const { return logits_; }
  const Network& network() const { return network_; }

  double seconds() const { return seconds_; }  // that looking has taken so far

 private:
  Device& device_;
  std::uint32_t rows_;
  std::vector<Buffer<float>> masks_;
  Network network_;
  Buffer<std::int32_t> labels_;
  Buffer<float> losses_;
  Buffer<std::uint8_t> correct_;
  std::vector<float> logits_;
  double seconds_ = 0;
};

}  // namespace cambium
