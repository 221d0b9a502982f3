// References for the signals of units (plasticity/signals.hpp), in plain loops on a naive network. Inactive units also
// have signals here; norms leave out weights from and to inactive units.
#pragma once

#include "plasticity/signals.hpp"
#include "selftest/naive_network.hpp"

namespace cambium {

struct NaiveSignals {
  double activation_rate = 0, gradient_magnitude = 0, mean_output = 0;
  double incoming_norm = 0, outgoing_norm = 0, incoming_gradient_norm = 0, outgoing_gradient_norm = 0,
         incoming_displacement = 0, outgoing_displacement = 0;
};

struct NamedSignal {
  const char* name;
  std::vector<float> UnitSignals::*signal;
  double NaiveSignals::*expected;
};
inline const std::vector<NamedSignal> all_signals{
    {"activation rate", &UnitSignals::activation_rate, &NaiveSignals::activation_rate},
    {"gradient magnitude", &UnitSignals::gradient_magnitude, &NaiveSignals::gradient_magnitude},
    {"mean output", &UnitSignals::mean_output, &NaiveSignals::mean_output},
    {"incoming norm", &UnitSignals::incoming_norm, &NaiveSignals::incoming_norm},
    {"outgoing norm", &UnitSignals::outgoing_norm, &NaiveSignals::outgoing_norm},
    {"incoming gradient norm", &UnitSignals::incoming_gradient_norm, &NaiveSignals::incoming_gradient_norm},
    {"outgoing gradient norm", &UnitSignals::outgoing_gradient_norm, &NaiveSignals::outgoing_gradient_norm},
    {"incoming displacement", &UnitSignals::incoming_displacement, &NaiveSignals::incoming_displacement},
    {"outgoing displacement", &UnitSignals::outgoing_displacement, &NaiveSignals::outgoing_displacement}};

// The signals of every unit, per hidden layer. `reference` has the layout of the parameters.
inline std::vector<std::vector<NaiveSignals>> naive_signals(const NaiveNetwork& network,
                                                            const std::vector<NaiveRow>& rows, double tau,
                                                            std::span<const float> reference) {
  const auto count = static_cast<double>(rows.size());
  // Adds the square of a weight, of its gradient of the mean loss, and of its distance from the reference.
  const auto add_squares = [&](std::size_t layer, std::size_t input, std::size_t unit, double& norm, double& gradient,
                               double& displacement) {
    const double weight = network.weight(layer, input, unit);
    double sum = 0;
    for (const auto& row : rows) sum += row.layers[layer].input[input] * row.layers[layer].gradient[unit];
    norm += weight * weight;
    gradient += std::pow(sum / count, 2);
    displacement += std::pow(weight - double{reference[network.place(layer, input, unit)]}, 2);
  };
  std::vector<std::vector<NaiveSignals>> all;
  for (std::size_t l = 0; l + 1 < network.layers(); ++l) {
    auto& units = all.emplace_back(network.units(l));
    for (std::size_t j = 0; j < units.size(); ++j) {
      NaiveSignals& s = units[j];
      for (const auto& row : rows) {
        const double output = network.active(l, j) ? row.layers[l].output[j] : 0;
        s.activation_rate += (output > tau ? 1 : 0) / count;
        s.mean_output += output / count;
        s.gradient_magnitude += std::abs(row.layers[l].gradient[j]) / count;
      }
      for (std::size_t k = 0; k < network.inputs(l); ++k)
        if (l == 0 || network.active(l - 1, k))
          add_squares(l, k, j, s.incoming_norm, s.incoming_gradient_norm, s.incoming_displacement);
      for (std::size_t k = 0; k < network.units(l + 1); ++k)
        if (network.active(l + 1, k))
          add_squares(l + 1, j, k, s.outgoing_norm, s.outgoing_gradient_norm, s.outgoing_displacement);
      for (double* squares : {&s.incoming_norm, &s.incoming_gradient_norm, &s.incoming_displacement, &s.outgoing_norm,
                              &s.outgoing_gradient_norm, &s.outgoing_displacement})
        *squares = std::sqrt(*squares);
    }
  }
  return all;
}

}  // namespace cambium
