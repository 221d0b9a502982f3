// Trains R networks on one device: parameters and structure, the optimiser, one step, evaluation, edits.
#pragma once

#include <memory>
#include <vector>

#include "layers/compaction.hpp"
#include "layers/network.hpp"
#include "optim/optimizer.hpp"
#include "plasticity/full_form.hpp"
#include "streams/device_images.hpp"
#include "streams/device_tasks.hpp"

namespace cambium {

struct TrainerSettings {
  Architecture architecture;
  Activation activation;
  Initialisation initialisation = Initialisation::kaiming_relu;
  OptimizerSettings optimizer;
  std::uint32_t batch = 256;
  bool augment = false;
  std::vector<std::uint32_t> seeds;  // one replica each
};

// One batch of every replica. Losses and correctness, (R, rows), are those before the update.
struct TrainingBatch {
  View<const std::int32_t> indices;  // (R, rows) images; negative: an empty row
  std::uint32_t rows = 0;
  std::uint64_t step = 0;  // of the whole run; random slopes and augmentation depend on it
  float rate = 0;
  View<float> losses;
  View<std::uint8_t> correct;
  View<const float> weights;  // (R) of an image's loss: 1 / images in the batch; empty: no row is empty
  TaskView task;              // maps images and labels to those of the task
  FrozenReplicas frozen = {};
};

// Results on all images of a data set, by class.
struct Evaluation {
  std::vector<std::uint32_t> images;   // (classes)
  std::vector<std::uint32_t> correct;  // (R, classes)
  std::vector<double> loss;            // (R, classes), sums
};

// Results on images that differ between replicas.
struct OwnEvaluation {
  std::vector<std::uint32_t> correct;  // (R)
  std::vector<double> loss;            // (R), mean
};

class Trainer {
 public:
  Trainer(Device& device, const TrainerSettings& settings, Structure structure);

  std::size_t replicas() const { return settings_.seeds.size(); }
  const TrainerSettings& settings() const { return settings_; }
  const Compaction& compaction() const { return compaction_; }
  Optimizer& optimizer() { return optimizer_; }
  // The parameters in training, in the live layout, and the full-width numbers of their units per hidden layer (empty
  // if all units are active).
  View<const float> live_parameters() const { return parameters_.live; }
  std::vector<View<const std::int32_t>> live_units() const;
  // Buffers that other networks may share between steps.
  std::shared_ptr<Network::Trunk> trunk() const { return network_ ? network_->trunk() : nullptr; }

  // Enqueues one training step and returns before it has run.
  void step(const DeviceImages& images, const TrainingBatch& batch);

  // `labels`: those of the images.
  Evaluation evaluate(const DeviceImages& images, std::span<const std::uint16_t> labels);
  // (R, count) images, mapped as their task says.
  OwnEvaluation evaluate_own(const DeviceImages& images, std::span<const std::int32_t> indices, const TaskView& task);

  // All parameters, in the full layout. Setting them keeps the structure.
  std::vector<float> parameters();
  void set_parameters(std::span<const float> values);
  // The same for moments: `which` is the position in Optimizer::moment_names().
  std::vector<float> moments(std::size_t which);
  void set_moments(std::size_t which, std::span<const float> values);

  // An edit: begin_edit() returns all parameters, moments and step counts in their full form, which the caller may
  // change until end_edit(), which sets the active units. No step may run in between. end_edit() resets the speeds.
  FullForm begin_edit();
  void end_edit(const Structure& structure);
  // Sets the active units; keeps parameters and moments of every unit.
  void restructure(const Structure& structure);
  // Sets all parameters and resets the optimiser.
  void restart(std::span<const float> parameters);

  // Factors on the displacement of units (optim/optimizer.hpp), per hidden layer (R, full width); empty for 1.
  void set_speeds(const std::vector<std::vector<float>>& speeds);

 private:
  void make_network();

  Device& device_;
  TrainerSettings settings_;
  Compaction compaction_;
  PairedValues parameters_;
  Optimizer optimizer_;
  std::unique_ptr<Network> network_;
  std::vector<Buffer<float>> speeds_;  // (R, live width)
  Buffer<std::uint32_t> seeds_;
  Buffer<std::int32_t> labels_;
};

}  // namespace cambium
