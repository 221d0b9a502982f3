// R networks of one architecture: forward, loss, and backward on a batch of images.
//
// A Network owns the activations, for batches of up to `capacity` rows. Each call takes the parameters, in the layout
// that the network was made for: the live one for training, the full one (with masks) to score inactive units, too. All
// tensors are (R, rows, ...), channels last.
#pragma once

#include <memory>
#include <span>

#include "layers/activation.hpp"
#include "layers/activation_pool.hpp"
#include "layers/compaction.hpp"
#include "layers/frozen_replicas.hpp"
#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"

namespace cambium {

struct ForwardSettings {
  std::uint32_t rows = 0;
  bool training = false;      // draw random slopes
  std::uint64_t step = 0;     // selects the random slopes
  bool shared_input = false;  // one batch for all replicas, as in evaluation
};

// The context of one forward pass, which its loss, backward pass and results need. The values themselves are in the
// buffers of the network: its next forward pass overwrites them.
struct ForwardPass : ForwardSettings {
  std::uint64_t number = 0;  // of the network's passes; a call with an overwritten pass throws
};

// Where backward writes the gradients of the parameters: for the fully connected layers
// target := beta * target + alpha * gradient, for the trunk the gradient itself. Both have the layout of the
// parameters; the trunk's may end where the trunk does. An empty view: backward does not compute those gradients. The
// target of a frozen replica's fully connected layers is left unchanged.
struct GradientTarget {
  View<float> linear;
  GradientScale scale;
  View<float> trunk;
  FrozenReplicas frozen = {};
};

class Network {
 public:
  // The images and the activations of the convolutions, which do not depend on the hidden layers. They are the largest
  // part of a ConvNet's memory, so networks that are never in the middle of a step at the same time may share them.
  struct Trunk;

  struct Options {
    std::uint32_t capacity = 0;         // rows
    bool observe = false;               // keep pre-activations and both gradients of the hidden layers
    std::shared_ptr<Trunk> trunk = {};  // of another network with the same images and replicas, and no fewer rows
  };

  // `units` and `masks`, per hidden layer (R, width): the full-width numbers of its units, and their masks. Empty
  // `units`: a unit's number is its position. Empty `masks`: all units are active.
  Network(Device& device, ParameterLayout layout, const Activation& activation, std::span<const std::uint32_t> seeds,
          std::vector<View<const std::int32_t>> units, std::vector<View<const float>> masks, const Options& options);

  const ParameterLayout& layout() const { return layout_; }
  const std::shared_ptr<Trunk>& trunk() const { return trunk_; }

  // The caller writes the images here: (R, rows, height, width, channels), or (rows, ...) when shared.
  View<float> input(std::uint32_t rows, bool shared = false);

  // Computes the logits, without the last bias.
  ForwardPass forward(View<const float> parameters, const ForwardSettings& settings);

  // Loss and correctness of every row of a forward pass. The logits become their gradient, times `scale`, and times the
  // replica's weight where `weights` (R) are given.
  void loss(const ForwardPass& pass, View<const float> parameters, View<const std::int32_t> labels, float scale,
            View<float> losses, View<std::uint8_t> correct, View<const float> weights = {});

  // Computes the gradients of the parameters from the gradient of the logits. Parameters that are their own target are
  // updated as soon as they are not needed any more. The pass must have had an input for each replica. Without any
  // target, backward computes the gradients of the hidden layers only, for observed().
  void backward(const ForwardPass& pass, View<const float> parameters, const GradientTarget& target);

  // The results of a pass in a hidden layer, (R, rows, width). Pre-activations and both gradients exist with `observe`
  // only: the gradient of the masked output (for inactive units, too), and that of the pre-activation.
  struct Observed {
    View<const float> pre_activation, output, output_gradient, pre_activation_gradient;
  };
  Observed observed(const ForwardPass& pass, std::size_t hidden_layer) const;
  Matrices<const float> input_of(const ForwardPass& pass, std::size_t hidden_layer) const {
    return linear_input(pass, hidden_layer);
  }
  // The gradient of the next layer's pre-activations, after the backward pass.
  Matrices<const float> gradient_after(const ForwardPass& pass, std::size_t hidden_layer) const {
    return gradient_of(pass, hidden_layer + 1);
  }
  // (R, rows, classes), without the last bias; after loss(): their gradient.
  View<const float> logits(const ForwardPass& pass) const;

 private:
  struct Convolution {
    ConvolutionShape shape;  // of `capacity` rows
    Buffer<float> z, h, h_gradient;
    Buffer<std::uint8_t> winner;
  };
  struct Linear {
    Buffer<float> z, h, gradient, z_gradient;  // h only if z must be kept, z_gradient only with `observe`
  };

  std::shared_ptr<Trunk> make_trunk() const;
  std::vector<Convolution>& convolutions() const;
  void expect_current(const ForwardPass& pass) const;
  ActivationNoise noise(const ForwardPass& pass, std::size_t activation_index) const;
  Matrices<const float> linear_input(const ForwardPass& pass, std::size_t linear) const;
  View<const float> features(const ForwardPass& pass) const;
  void make_gradients(bool of_trunk);
  Matrices<const float> gradient_of(const ForwardPass& pass, std::size_t linear) const;
  void backward_linear(const ForwardPass& pass, std::size_t linear, View<const float> parameters,
                       const GradientTarget& target);
  void backward_activation(const ForwardPass& pass, std::size_t hidden_layer, const GradientTarget& target);
  void backward_weights(const ForwardPass& pass, const GradientTarget& target);
  void backward_trunk(const ForwardPass& pass, View<const float> parameters, const GradientTarget& target);
  std::size_t elements(const ForwardPass& pass, std::size_t per_row) const;
  PoolShape pool_shape(const Convolution& convolution, std::uint32_t rows) const;
  ConvolutionShape convolution_shape(const Convolution& convolution, std::uint32_t rows) const;
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
  std::uint64_t passes_ = 0;
};

struct Network::Trunk {
  std::uint32_t capacity;
  Buffer<float> input;
  std::vector<Convolution> convolutions;
};

}  // namespace cambium
