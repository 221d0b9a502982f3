// R networks of one architecture: forward, loss, and backward on a batch of images.
//
// A Network owns the activations, for batches of up to `capacity` rows; parameters are given with each call, in the
// layout that it was made for: the live one for training, the full one to see inactive units, too (with masks). All
// tensors are (R, rows, ...), channels last.
#pragma once

#include <memory>
#include <span>

#include "layers/activation.hpp"
#include "layers/activation_pool.hpp"
#include "layers/compaction.hpp"
#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"

namespace cambium {

// What a forward pass is for.
struct Pass {
  std::uint32_t rows = 0;
  bool training = false;      // random slopes are drawn
  std::uint64_t step = 0;     // for the random slopes
  bool shared_input = false;  // one batch for all replicas, as in evaluation
};

// Where backward leaves the gradients of the parameters: for the fully connected layers
// target := beta * target + alpha * gradient, for the trunk the gradient itself. Both are laid out like the parameters;
// the trunk's may end where the trunk does. An empty view: those gradients are not wanted, and not computed.
struct GradientTarget {
  View<float> linear;
  GradientScale scale;
  View<float> trunk;
};

class Network {
 public:
  // What does not depend on the hidden layers: the images, and the activations of the convolutions. The largest part of
  // a ConvNet's memory, so networks that are never in the middle of a step at the same time may share it.
  struct Trunk;

  struct Options {
    std::uint32_t capacity = 0;         // rows
    bool observe = false;               // keep pre-activations and both gradients of the hidden layers
    std::shared_ptr<Trunk> trunk = {};  // of another network with the same images and replicas, and no fewer rows
  };

  // `units` and `masks`, per hidden layer: the full-width numbers of its units, and their masks, (R, width); either
  // may be empty for units that are numbered as they stand, or that are all active.
  Network(Device& device, ParameterLayout layout, const Activation& activation, std::span<const std::uint32_t> seeds,
          std::vector<View<const std::int32_t>> units, std::vector<View<const float>> masks, const Options& options);

  const ParameterLayout& layout() const { return layout_; }
  const std::shared_ptr<Trunk>& trunk() const { return trunk_; }

  // (R, rows, height, width, channels), or (rows, ...) when shared: where the caller puts the images.
  View<float> input(std::uint32_t rows, bool shared = false);

  // Up to the logits, without the last bias.
  void forward(View<const float> parameters, const Pass& pass);

  // Loss and correctness of every row of the last forward pass. The logits become their gradient, times `scale` and the
  // replica's weight (R; empty: 1).
  void loss(View<const float> parameters, View<const std::int32_t> labels, float scale, View<float> losses,
            View<std::uint8_t> correct, View<const float> weights = {});

  // From the gradient of the logits to that of the parameters. Parameters that are their own target are updated on the
  // way, each after its last use. The pass must have had input of its own for each replica. Without any target the
  // gradients of the hidden layers are all that is made, for observed().
  void backward(View<const float> parameters, const GradientTarget& target);

  // What the last pass left in hidden layer `l`, (R, rows, width). Pre-activations and both gradients exist with
  // `observe` only: of the masked output (for inactive units, too), and of the pre-activation.
  struct Observed {
    View<const float> pre_activation, output, output_gradient, pre_activation_gradient;
  };
  Observed observed(std::size_t hidden_layer) const;
  Matrices<const float> input_of(std::size_t hidden_layer) const { return linear_input(hidden_layer); }
  // Of the next layer's pre-activations, after a backward pass.
  Matrices<const float> gradient_after(std::size_t hidden_layer) const { return gradient_of(hidden_layer + 1); }
  View<const float> logits() const;  // (R, rows, classes), without the last bias; after loss(): their gradient

 private:
  struct Convolution {
    ConvolutionShape shape;  // of `capacity` rows
    Buffer<float> z, h, h_gradient;
    Buffer<std::uint8_t> winner;
  };
  struct Linear {
    Buffer<float> z, h, gradient, z_gradient;  // h only where z must be kept, z_gradient only when observing
  };

  std::shared_ptr<Trunk> make_trunk() const;
  std::vector<Convolution>& convolutions() const;
  ActivationNoise noise(std::size_t activation_index) const;
  Matrices<const float> linear_input(std::size_t linear) const;
  View<const float> features() const;
  void make_gradients(bool of_trunk);
  Matrices<const float> gradient_of(std::size_t linear) const;
  void backward_linear(std::size_t linear, View<const float> parameters, const GradientTarget& target);
  void backward_weights(const GradientTarget& target);
  void backward_trunk(View<const float> parameters, const GradientTarget& target);
  std::size_t elements(std::size_t per_row) const;
  PoolShape pool_shape(const Convolution& convolution) const;
  ConvolutionShape convolution_shape(const Convolution& convolution) const;
  std::uint32_t replicas() const { return static_cast<std::uint32_t>(layout_.replicas); }

  Device& device_;
  ParameterLayout layout_;
  Activation activation_;
  Buffer<std::uint32_t> seeds_;
  std::vector<View<const std::int32_t>> units_;
  std::vector<View<const float>> masks_;
  Options options_;
  bool keeps_pre_activation_;

  std::shared_ptr<Trunk> trunk_;
  std::vector<Linear> linear_;
  Buffer<float> ones_;  // a row as long as the capacity, to sum over rows by a matrix product
  Pass pass_;
};

struct Network::Trunk {
  std::uint32_t capacity;
  Buffer<float> input;
  std::vector<Convolution> convolutions;
};

}  // namespace cambium
