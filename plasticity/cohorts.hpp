// Cohorts: the units of a hidden layer, grouped by what an edit did to them, and the means of their signals.
//
//   newborn    GROW   units that the event activated
//   incumbent  GROW   units that were active before it
//   kept       PRUNE  active units that the event left active
//   pruned     PRUNE  active units that it removed
//
// A unit that is not live belongs to no cohort. The cohorts of an event stay the same until the next one.
#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "plasticity/signals.hpp"

namespace cambium {

enum class Cohort { none, newborn, incumbent, kept, pruned };
inline constexpr Cohort all_cohorts[] = {Cohort::newborn, Cohort::incumbent, Cohort::kept, Cohort::pruned};

// When cohorts are observed, around event t:
//   exit       the end of training before it: trained weights, old masks
//   post_mask  PRUNE: new masks, weights not yet rewound
//   post       after all of it, before any further update
//   age        during training afterwards
//   end        the end of training afterwards, which is the exit of the next event
enum class TimePoint { exit, post_mask, post, age, end };
inline constexpr TimePoint all_time_points[] = {TimePoint::exit, TimePoint::post_mask, TimePoint::post, TimePoint::age,
                                                TimePoint::end};

std::string_view name_of(Cohort cohort);
std::string_view name_of(TimePoint point);

// Per hidden layer, (R, live width): the cohort of every live unit, `none` for padding.
using UnitCohorts = std::vector<std::vector<Cohort>>;

// Per hidden layer, (R, full width): the event that activated a unit; -1 for one that was active from the start, or
// that is inactive.
using BirthEvents = std::vector<std::vector<std::int32_t>>;

// The cohorts of an event among the live units of `live`. For PRUNE `live` is the old structure at the exit of the
// event and the new one afterwards.
UnitCohorts grow_cohorts(const Structure& live, const BirthEvents& births, std::int32_t event);
UnitCohorts prune_cohorts(const Structure& live, const Structure& before, const Structure& after);

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct CohortStatistics {
  std::int32_t size = 0;
  double mean = missing;       // missing without units
  double deviation = missing;  // divisor size - 1; missing with fewer than two units
};

// Statistics over the units of one cohort; `values` and `cohorts` are those of one replica. Without values (an empty
// table) only the size is set.
CohortStatistics cohort_statistics(std::span<const float> values, std::span<const Cohort> cohorts, Cohort cohort);

// The time of an observation. Ages count from the event; before it they are 0.
struct Moment {
  TimePoint point = TimePoint::post;
  std::int64_t age_steps = 0;
  double age_epochs = 0;

  bool operator==(const Moment&) const = default;
};

// One cohort of one layer of one replica at one moment: a row of cohorts.csv.
struct CohortRow {
  std::uint32_t seed = 0;
  std::int32_t event = 0;
  std::string layer;  // fc1, fc2, ...
  Moment moment;
  Cohort cohort = Cohort::none;
  std::int32_t size = 0;
  // On the event's batch; _8: unit by unit the mean over the event's batches, of which that is the first.
  double activation_mean = missing, activation_sd = missing, gradient_mean = missing, gradient_sd = missing;
  double activation_mean_8 = missing, activation_sd_8 = missing, gradient_mean_8 = missing, gradient_sd_8 = missing;
  // Means of the other signals, on the event's batch.
  double output_mean = missing;
  double incoming_norm = missing, outgoing_norm = missing;
  double incoming_gradient_norm = missing, outgoing_gradient_norm = missing;
  double incoming_displacement = missing, outgoing_displacement = missing;
  // Of the whole network: loss on the batch, distance of the logits from those at exit.
  double loss = missing, logit_distance = missing;
  std::int32_t batch = 0;  // the event whose batches were used
};

struct Snapshot {
  std::int32_t event = 0;
  Moment moment;
  const std::vector<UnitSignals>& signals;                 // on the event's batch
  const std::vector<UnitSignals>& averaged;                // over its batches
  std::span<const double> loss = {}, logit_distance = {};  // (R), or empty
};

// One row for each replica, layer and non-empty cohort.
std::vector<CohortRow> cohort_rows(const Snapshot& snapshot, const UnitCohorts& cohorts,
                                   std::span<const std::uint32_t> seeds, const Architecture& architecture);

}  // namespace cambium
