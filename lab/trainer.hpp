// R networks in training on one device: parameters and structure, the optimiser, one step, evaluation.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "layers/compaction.hpp"
#include "layers/network.hpp"
#include "optim/optimizer.hpp"
#include "plasticity/full_form.hpp"
#include "streams/device_images.hpp"

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

// One batch of every replica. Losses and correctness, (R, rows), are those of before the update.
struct TrainingBatch {
  View<const std::int32_t> indices;  // (R, rows)
  std::uint32_t rows = 0;
  std::uint64_t step = 0;  // of the whole run; random slopes and augmentation depend on it
  float rate = 0;
  View<float> losses;
  View<std::uint8_t> correct;
  // (R), of each image's loss: one over the number of images of that replica's batch; rows with a negative index do not
  // count. Empty: one over the rows.
  View<const float> weights;
  TaskView task;
};

struct Evaluation {
  std::uint32_t images = 0;
  std::vector<std::uint32_t> correct;  // (R)
  std::vector<double> loss;            // (R), mean

  double accuracy(std::size_t replica) const { return static_cast<double>(correct[replica]) / images; }
};

class Trainer {
 public:
  Trainer(Device& device, const TrainerSettings& settings, Structure structure);

  std::size_t replicas() const { return settings_.seeds.size(); }
  const TrainerSettings& settings() const { return settings_; }
  const Compaction& compaction() const { return compaction_; }
  Optimizer& optimizer() { return optimizer_; }
  // What is being trained, in the live layout, and the full-width numbers of its units per hidden layer (none where all
  // are active).
  View<const float> live_parameters() const { return parameters_.live; }
  std::vector<View<const std::int32_t>> live_units() const;
  // Room that others may use between steps.
  std::shared_ptr<Network::Trunk> trunk() const { return network_ ? network_->trunk() : nullptr; }

  // Enqueues one training step and returns before it has run.
  void step(const DeviceImages& images, const TrainingBatch& batch);

  Evaluation evaluate(const DeviceImages& images);

  // All parameters, in the full layout. Setting them keeps the structure.
  std::vector<float> parameters();
  void set_parameters(std::span<const float> values);
  // Moments likewise, one set per name of the optimiser.
  std::vector<float> moments(std::size_t which);
  void set_moments(std::size_t which, std::span<const float> values);

  // Gives all parameters and moments in their full form to `change`, which may write to them and says which units are
  // active from now on. Speeds are those of no unit again.
  void edit(const std::function<Structure(const FullForm&)>& change);
  // Other units active from now on; parameters and moments of every unit are kept.
  void restructure(const Structure& structure);
  // All parameters given anew, and an optimiser that has taken no step yet.
  void restart(std::span<const float> parameters);

  // Factors on the displacement of units (optim/optimizer.hpp), per hidden layer (R, full width); none for 1.
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
