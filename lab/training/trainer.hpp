// R networks in training on one device: parameters and structure, the optimiser, one step, evaluation.
#pragma once

#include <functional>
#include <map>
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

// One batch of every replica. Losses and correctness, (R, rows), are those of before the update.
struct TrainingBatch {
  View<const std::int32_t> indices;  // (R, rows); negative: a row that does not count
  std::uint32_t rows = 0;
  std::uint64_t step = 0;  // of the whole run; random slopes and augmentation depend on it
  float rate = 0;
  View<float> losses;
  View<std::uint8_t> correct;
  View<const float> weights;  // (R) of an image's loss: one over the images in the batch; empty: all rows count
  TaskView task;              // how images are shown
};

// Of all images of a data set, by their class.
struct Evaluation {
  std::vector<std::uint32_t> images;   // (classes)
  std::vector<std::uint32_t> correct;  // (R, classes)
  std::vector<double> loss;            // (R, classes), sums

  double mean_loss(std::size_t replica) const;  // over all classes
};

// Of images that every replica has of its own.
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
  // What is being trained, in the live layout, and the full-width numbers of its units per hidden layer (none where all
  // are active).
  View<const float> live_parameters() const { return parameters_.live; }
  std::vector<View<const std::int32_t>> live_units() const;
  // Room that others may use between steps.
  std::shared_ptr<Network::Trunk> trunk() const { return network_ ? network_->trunk() : nullptr; }

  // Enqueues one training step and returns before it has run.
  void step(const DeviceImages& images, const TrainingBatch& batch);

  // `labels`: those of the images.
  Evaluation evaluate(const DeviceImages& images, std::span<const std::uint16_t> labels);
  // (R, count) images, shown as the tasks do.
  OwnEvaluation evaluate_own(const DeviceImages& images, std::span<const std::int32_t> indices, const TaskView& task);

  // Networks that are done before others rest: what they are is put aside, and steps may do anything to them until all
  // that rest are woken.
  void rest(std::size_t replica);
  void wake();

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
  // Calls body(part of a set of values that belongs to the replica) for parameters and moments, layer by layer.
  template <class Body>
  void for_parts_of(std::size_t replica, Body&& body);

  Device& device_;
  TrainerSettings settings_;
  Compaction compaction_;
  PairedValues parameters_;
  Optimizer optimizer_;
  std::unique_ptr<Network> network_;
  std::vector<Buffer<float>> speeds_;  // (R, live width)
  struct Aside {
    std::vector<Buffer<float>> values;  // of the parameters and every moment: the replica's part of each layer
    std::vector<std::uint64_t> steps;   // (layers)
  };
  std::map<std::size_t, Aside> resting_;  // by replica
  Buffer<std::uint32_t> seeds_;
  Buffer<std::int32_t> labels_;
};

}  // namespace cambium
