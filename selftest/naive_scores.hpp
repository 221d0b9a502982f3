// References for the scores of selection rules and the choices of edits, in plain loops on a naive network.
#pragma once

#include <string>

#include "base/error.hpp"
#include "selftest/naive_network.hpp"

namespace cambium {

// Mean of a quantity over the rows.
template <class Of>
double mean_over(const std::vector<NaiveRow>& rows, Of&& of) {
  double sum = 0;
  for (const auto& row : rows) sum += of(row);
  return sum / static_cast<double>(rows.size());
}

// The number of images for which the output of a unit, if it were not masked, exceeds tau.
inline int images_above(const std::vector<NaiveRow>& rows, std::size_t layer, std::size_t unit, double tau) {
  int count = 0;
  for (const auto& row : rows)
    if (row.layers[layer].output[unit] > tau) ++count;
  return count;
}

// The gradient that a unit's pre-activation would get if its mask were 1 and nothing else changed.
inline double counterfactual_gradient(const NaiveNetwork& network, const NaiveRow& row, std::size_t layer,
                                      std::size_t unit) {
  return row.layers[layer].output_gradient[unit] *
         naive_function(network.activation(), row.layers[layer].pre_activation[unit]).derivative;
}

inline double gradient_score(const NaiveNetwork& network, const std::vector<NaiveRow>& rows, std::size_t layer,
                             std::size_t unit) {
  return mean_over(rows,
                   [&](const NaiveRow& row) { return std::abs(counterfactual_gradient(network, row, layer, unit)); });
}

inline double gradmax_score(const NaiveNetwork& network, const std::vector<NaiveRow>& rows, std::size_t layer,
                            std::size_t unit) {
  double squares = std::pow(
      mean_over(rows, [&](const NaiveRow& row) { return counterfactual_gradient(network, row, layer, unit); }), 2);
  for (std::size_t k = 0; k < network.inputs(layer); ++k)
    squares +=
        std::pow(mean_over(rows,
                           [&](const NaiveRow& row) {
                             return counterfactual_gradient(network, row, layer, unit) * row.layers[layer].input[k];
                           }),
                 2);
  for (std::size_t k = 0; k < network.units(layer + 1); ++k)
    squares += std::pow(mean_over(rows,
                                  [&](const NaiveRow& row) {
                                    return row.layers[layer + 1].gradient[k] * row.layers[layer].output[unit];
                                  }),
                        2);
  return std::sqrt(squares);
}

inline double magnitude_score(const NaiveNetwork& network, std::size_t layer, std::size_t unit) {
  double sum = 0;
  for (std::size_t k = 0; k < network.inputs(layer); ++k) sum += std::abs(network.weight(layer, k, unit));
  return sum / static_cast<double>(network.inputs(layer));
}

// Whether naive_scores() knows the rule.
inline bool has_naive_scores(const std::string& rule) {
  return rule == "activation" || rule == "gradient" || rule == "gradmax" || rule == "magnitude";
}

// The scores of every unit of a hidden layer by the rule of that name.
inline Values naive_scores(const std::string& rule, const NaiveNetwork& network, const std::vector<NaiveRow>& rows,
                           std::size_t layer, double tau) {
  expect(has_naive_scores(rule), "no naive scores for the rule {}", rule);
  Values scores;
  for (std::size_t unit = 0; unit < network.units(layer); ++unit)
    scores.push_back(rule == "activation" ? images_above(rows, layer, unit, tau) / static_cast<double>(rows.size())
                     : rule == "gradient" ? gradient_score(network, rows, layer, unit)
                     : rule == "gradmax"  ? gradmax_score(network, rows, layer, unit)
                                          : magnitude_score(network, layer, unit));
  return scores;
}

// Chooses units one after the other: the best inactive (grow) or active (prune) unit that is left, the first of equals.
inline std::vector<std::int32_t> naive_choice(const NaiveNetwork& network, std::size_t layer, const Values& scores,
                                              bool grow, std::int32_t count) {
  std::vector<std::int32_t> chosen;
  std::vector<bool> taken(scores.size(), false);
  while (static_cast<std::int32_t>(chosen.size()) < count) {
    std::optional<std::size_t> best;
    for (std::size_t unit = 0; unit < scores.size(); ++unit)
      if (!taken[unit] && network.active(layer, unit) != grow &&
          (!best || (grow ? scores[unit] > scores[*best] : scores[unit] < scores[*best])))
        best = unit;
    if (!best) break;
    taken[*best] = true;
    chosen.push_back(static_cast<std::int32_t>(*best));
  }
  return chosen;
}

}  // namespace cambium
