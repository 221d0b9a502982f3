#include "plasticity/cohorts.hpp"

#include <algorithm>
#include <cmath>

namespace cambium {
namespace {

// The cohort of every live unit, by body(layer, replica, full-width number).
template <class Body>
UnitCohorts for_live_units(const Structure& live, Body&& body) {
  UnitCohorts table;
  for (std::size_t layer = 0; layer < live.layers(); ++layer) {
    const auto numbers = live.live_units(layer);
    const auto width = static_cast<std::size_t>(live.live_width(layer));
    std::vector<Cohort> cohorts;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      cohorts.push_back(numbers[i] < 0 ? Cohort::none : body(layer, i / width, static_cast<std::size_t>(numbers[i])));
    table.push_back(std::move(cohorts));
  }
  return table;
}

// What one replica has of a table; nothing of one that was not asked for.
template <class T>
std::span<const T> of_replica(const std::vector<T>& table, std::size_t replica, std::size_t replicas) {
  const std::size_t width = table.size() / replicas;
  return std::span(table).subspan(replica * width, width);
}

}  // namespace

std::string_view name_of(Cohort cohort) {
  switch (cohort) {
    case Cohort::newborn:
      return "newborn";
    case Cohort::incumbent:
      return "incumbent";
    case Cohort::kept:
      return "kept";
    case Cohort::pruned:
      return "pruned";
    default:
      return "none";
  }
}

std::string_view name_of(TimePoint point) {
  switch (point) {
    case TimePoint::exit:
      return "exit";
    case TimePoint::post_mask:
      return "post_mask";
    case TimePoint::post:
      return "post";
    case TimePoint::age:
      return "age";
    default:
      return "end";
  }
}

UnitCohorts grow_cohorts(const Structure& live, const BirthEvents& births, std::int32_t event) {
  expect(births.size() == live.layers(), "births of {} layers for {}", births.size(), live.layers());
  return for_live_units(live, [&](std::size_t layer, std::size_t replica, std::size_t unit) {
    const std::int32_t birth = births[layer].at(replica * static_cast<std::size_t>(live.full_width(layer)) + unit);
    return birth == event ? Cohort::newborn : birth < event ? Cohort::incumbent : Cohort::none;
  });
}

UnitCohorts prune_cohorts(const Structure& live, const Structure& before, const Structure& after) {
  return for_live_units(live, [&](std::size_t layer, std::size_t replica, std::size_t unit) {
    const auto r = static_cast<std::int32_t>(replica);
    if (before.mask(layer, r)[unit] == 0) return Cohort::none;
    return after.mask(layer, r)[unit] != 0 ? Cohort::kept : Cohort::pruned;
  });
}

CohortStatistics cohort_statistics(std::span<const float> values, std::span<const Cohort> cohorts, Cohort cohort) {
  expect(values.empty() || values.size() == cohorts.size(), "{} values of {} units", values.size(), cohorts.size());
  CohortStatistics result;
  for (const auto of_unit : cohorts) result.size += of_unit == cohort;
  if (values.empty() || result.size == 0) return result;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (cohorts[i] == cohort) sum += double{values[i]};
  result.mean = sum / result.size;
  if (result.size < 2) return result;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (cohorts[i] == cohort) squares += std::pow(double{values[i]} - result.mean, 2);
  result.deviation = std::sqrt(squares / (result.size - 1));
  return result;
}

std::vector<CohortRow> cohort_rows(const Snapshot& snapshot, const UnitCohorts& cohorts,
                                   std::span<const std::uint32_t> seeds, const Architecture& architecture) {
  const std::size_t replicas = seeds.size();
  expect(snapshot.signals.size() == cohorts.size() && snapshot.averaged.size() == cohorts.size(),
         "signals of {} and {} layers for the cohorts of {}", snapshot.signals.size(), snapshot.averaged.size(),
         cohorts.size());
  std::vector<CohortRow> rows;
  for (std::size_t r = 0; r < replicas; ++r)
    for (std::size_t l = 0; l < cohorts.size(); ++l) {
      const auto members = of_replica(cohorts[l], r, replicas);
      for (const Cohort cohort : all_cohorts) {
        if (std::find(members.begin(), members.end(), cohort) == members.end()) continue;
        const auto of = [&](const std::vector<float>& table) {
          return cohort_statistics(of_replica(table, r, replicas), members, cohort);
        };
        const UnitSignals &signals = snapshot.signals[l], &averaged = snapshot.averaged[l];
        const auto activation = of(signals.activation_rate), gradient = of(signals.gradient_magnitude);
        const auto activation_8 = of(averaged.activation_rate), gradient_8 = of(averaged.gradient_magnitude);
        rows.push_back({.seed = seeds[r],
                        .event = snapshot.event,
                        .layer = architecture.hidden_name(l),
                        .moment = snapshot.moment,
                        .cohort = cohort,
                        .size = activation.size,
                        .activation_mean = activation.mean,
                        .activation_sd = activation.deviation,
                        .gradient_mean = gradient.mean,
                        .gradient_sd = gradient.deviation,
                        .activation_mean_8 = activation_8.mean,
                        .activation_sd_8 = activation_8.deviation,
                        .gradient_mean_8 = gradient_8.mean,
                        .gradient_sd_8 = gradient_8.deviation,
                        .output_mean = of(signals.mean_output).mean,
                        .incoming_norm = of(signals.incoming_norm).mean,
                        .outgoing_norm = of(signals.outgoing_norm).mean,
                        .incoming_gradient_norm = of(signals.incoming_gradient_norm).mean,
                        .outgoing_gradient_norm = of(signals.outgoing_gradient_norm).mean,
                        .incoming_displacement = of(signals.incoming_displacement).mean,
                        .outgoing_displacement = of(signals.outgoing_displacement).mean,
                        .loss = snapshot.loss.empty() ? missing : snapshot.loss[r],
                        .logit_distance = snapshot.logit_distance.empty() ? missing : snapshot.logit_distance[r],
                        .batch = snapshot.event});
      }
    }
  return rows;
}

}  // namespace cambium
