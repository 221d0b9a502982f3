// Signals of the hidden units of R networks on one batch, by which cohorts of units are compared.
//
// Passes run in evaluation mode, on the observer's own buffers; parameters are only read. A table is (R, live width),
// in the order of the live layout, with zeros for padding. A table that was not requested is empty.
#pragma once

#include <span>
#include <vector>

#include "layers/network.hpp"

namespace cambium {

// The signals of one hidden layer. A unit's incoming weights are its column of the layer's matrix, its outgoing weights
// its row of the next one; both without biases, and without the weights from or to inactive units, which are not live.
struct UnitSignals {
  // Over the rows of the batch.
  std::vector<float> activation_rate;     // share of rows with output > tau
  std::vector<float> gradient_magnitude;  // mean of |dL/dz|, where L is the loss of the row alone
  std::vector<float> mean_output;
  // L2 norms: of the weights, of the gradient of the batch's mean loss, of the displacement from a reference.
  std::vector<float> incoming_norm, outgoing_norm;
  std::vector<float> incoming_gradient_norm, outgoing_gradient_norm;
  std::vector<float> incoming_displacement, outgoing_displacement;
};

struct Observation {
  std::vector<UnitSignals> layers;  // hidden layers
  std::vector<double> loss;         // (R), mean over the rows
  std::vector<float> logits;        // (R, rows, classes), with the last bias
  std::size_t classes = 0;
};

class Observer {
 public:
  // `units`, per hidden layer: the full-width numbers of the live units; empty if all are active. After an edit a new
  // observer is needed. The trunk may be that of the networks in training.
  Observer(Device& device, ParameterLayout live, const Activation& activation, std::span<const std::uint32_t> seeds,
           std::vector<View<const std::int32_t>> units, std::uint32_t most_rows,
           std::shared_ptr<Network::Trunk> trunk = {});

  // The caller writes the images here: (R, rows, height, width, channels).
  View<float> input(std::uint32_t rows) { return network_.input(rows); }

  // All signals. `parameters` and `reference` are in the live layout, labels (R, rows); an empty reference: no
  // displacements.
  Observation observe(View<const float> parameters, View<const std::int32_t> labels, std::uint32_t rows, float tau,
                      View<const float> reference = {});

  // Activation rate, gradient magnitude and mean output only, with the same bits as observe(). Cheaper: it computes no
  // gradients of parameters.
  std::vector<UnitSignals> observe_activity(View<const float> parameters, View<const std::int32_t> labels,
                                            std::uint32_t rows, float tau);

 private:
  ForwardPass forward_and_loss(View<const float> parameters, View<const std::int32_t> labels, std::uint32_t rows,
                               std::vector<float>* logits);
  void reduce_activity(const ForwardPass& pass, float tau);
  void reduce_norms(View<const float> parameters, View<const float> reference);
  std::vector<UnitSignals> download(bool norms, bool displacements) const;
  std::uint32_t replicas() const { return static_cast<std::uint32_t>(network_.layout().replicas); }

  // A hidden layer. In a buffer of n tables per layer, its tables begin at element n * begin.
  struct Hidden {
    std::size_t index;  // among all layers
    std::size_t begin, size;
    Buffer<std::int32_t> active;  // (R): live units without padding
  };

  Device& device_;
  Network network_;
  std::vector<Hidden> hidden_;
  Buffer<float> gradient_, losses_;
  Buffer<std::uint8_t> correct_;
  Buffer<float> activity_, norms_;
};

// The mean over batches of activation rates, gradient magnitudes and mean outputs; the other tables stay empty.
std::vector<UnitSignals> mean_activity(std::span<const std::vector<UnitSignals>> batches);

// Function shock: per replica, the mean over the rows of the L2 distance between two observations' logits.
std::vector<double> logit_distance(const Observation& before, const Observation& after);

}  // namespace cambium
