// Parity: compares the cohorts of an event with each other, or with themselves at another time.
//
// For each layer it divides the means of two cohorts: newborn by incumbent for GROW, kept by pruned for PRUNE. The
// natural logarithm of the ratio is the log parity. Means are taken over layers, then over events; means over seeds are
// computed elsewhere. A numerator of 0 is a dead cohort: ratio and logarithm are missing, the case is counted, and
// means leave it out.
//
//   quantity                         of              at
//   newborn_activation, _gradient    E_N             post               absolute vitality
//   kept_..., pruned_...             E_K, E_P        exit               absolute contrast
//   activation_ratio, gradient_ratio E_N/(E_O+eps)   post, age, end
//                                    E_K/(E_P+eps)   exit
//   ..._log_parity                   ln of the ratios
//   early_..._log_parity_5, _10      the mean of newborn log parities at ages of 1..5 and 1..10 whole epochs
//   segment_..._log_parity           the same over all whole epochs
//   survivor_stability               E_K at post - E_K at end                 activation only
//   survivor_stability_log           ln(E_K at post / (E_K at end + eps))     likewise
//   mask_stability, _log             the same for post_mask and exit: removal without rewind
//   function_shock, loss_change      of the whole network, at post_mask and post, against exit
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plasticity/cohorts.hpp"

namespace cambium {

// E_X / (E_Y + eps), missing when E_X is 0; and its logarithm.
double parity_ratio(double numerator, double denominator);
double log_parity(double numerator, double denominator);

// One value: a row of parities.csv.
struct ParityRow {
  std::uint32_t seed = 0;
  std::int32_t event = 0;
  std::string layer;  // fc1, ...; "all": their mean, or a value of the whole network
  std::string quantity;
  std::int32_t batches = 1;  // 1, or 8 for signals averaged over the event's batches
  Moment moment;             // means over ages: the last of them
  double value = missing;
};

// The means of one seed over layers, then events.
struct ParitySummary {
  std::uint32_t seed = 0;
  std::int32_t batches = 1;
  double early_activation_5 = missing, early_gradient_5 = missing;
  double early_activation_10 = missing, early_gradient_10 = missing;
  double event_activation = missing, event_gradient = missing;  // log parity: GROW at post, PRUNE at exit
  double segment_activation = missing;                          // over all ages > 0
  double survivor_stability = missing, survivor_stability_log = missing;
  double mask_stability = missing, mask_stability_log = missing;
  // Number of ratios, over all events, layers and moments, that are missing because of a numerator of 0.
  std::int32_t dead_activation = 0, dead_gradient = 0;
};

struct Parities {
  std::vector<ParityRow> rows;           // by seed and event
  std::vector<ParitySummary> summaries;  // by seed; for 1 batch, then for 8
};

// The parities of one run. Throws InputError if a cohort has two rows at the same time. `end` counts as an age unless
// a row of that age exists.
Parities parities(std::span<const CohortRow> rows);

}  // namespace cambium
