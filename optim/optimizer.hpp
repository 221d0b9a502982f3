// Optimisers: SGD with momentum and weight decay, and Adam, with PyTorch's conventions, on the live parameters.
//
// Plain SGD never makes a weight gradient: backward adds -rate * gradient to the weights in the matrix product itself
// (`target`), and `step` only has the trunk left to do. The others collect gradients first. Moments are paired values
// (layers/compaction.hpp): they follow their unit through edits, and rest while it is inactive.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "layers/compaction.hpp"
#include "layers/network.hpp"

namespace cambium {

struct StepArguments;

struct OptimizerSettings {
  enum class Kind { sgd, adam };

  Kind kind = Kind::sgd;
  float momentum = 0.0f;                                // sgd
  float weight_decay = 0.0f;                            // added to the gradient
  float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;  // adam
};

// Factors on the displacement that the optimiser's step gives the incoming and outgoing weights and the bias of a unit,
// (R, live width) per hidden layer; none, or an empty view, stands for 1. A weight between two such units is scaled
// once, by the factor of the first.
using UnitSpeeds = std::vector<View<const float>>;

class Optimizer {
 public:
  Optimizer(Device& device, const OptimizerSettings& settings, const Compaction& compaction);

  const OptimizerSettings& settings() const { return settings_; }

  // Where backward is to leave the gradients of the live parameters.
  GradientTarget target(View<float> parameters, float rate, bool with_speeds = false);
  // Completes the step that backward began.
  void step(View<float> parameters, float rate, const UnitSpeeds& speeds = {});

  // State: zero, one or two sets of moments, named as PyTorch does.
  std::vector<std::string> moment_names() const;
  std::vector<PairedValues>& moments() { return moments_; }

  // Steps taken by every layer of every replica, (layers, R), which Adam's bias correction counts.
  const std::vector<std::uint64_t>& steps() const { return steps_; }
  void set_steps(std::vector<std::uint64_t> steps);

  // Around an edit: moments to their full form, and back to the new live one.
  void scatter();
  void gather();

 private:
  bool fuses(bool with_speeds) const {
    return settings_.kind == OptimizerSettings::Kind::sgd && moments_.empty() && !with_speeds;
  }
  StepArguments arguments(View<float> parameters, float rate, std::uint64_t steps);
  // Calls body(first, count, steps) for runs of replicas that have taken equally many steps in a layer.
  template <class Body>
  void for_equal_steps(std::size_t layer, Body&& body) const;
  bool steps_differ() const;
  void step_by_layers(View<float> parameters, float rate, const UnitSpeeds& speeds);
  View<float> gradient(std::size_t count);

  Device& device_;
  OptimizerSettings settings_;
  const Compaction& compaction_;
  std::vector<PairedValues> moments_;
  Buffer<float> gradient_;
  std::vector<std::uint64_t> steps_;
};

}  // namespace cambium
