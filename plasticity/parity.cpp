#include "plasticity/parity.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

namespace cambium {
namespace {

constexpr double epsilon = 1e-8;

// The mean of the values that are not missing.
double mean_of(const std::vector<double>& values) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values)
    if (!std::isnan(value)) sum += value, ++count;
  return count == 0 ? missing : sum / static_cast<double>(count);
}

// A cohort mean that parities are made of.
struct Measure {
  std::string signal;
  std::int32_t batches;
  double CohortRow::*mean;
};
const Measure measures[] = {{"activation", 1, &CohortRow::activation_mean},
                            {"gradient", 1, &CohortRow::gradient_mean},
                            {"activation", 8, &CohortRow::activation_mean_8},
                            {"gradient", 8, &CohortRow::gradient_mean_8}};

// The rows of one seed's event.
class Event {
 public:
  void add(const CohortRow& row) {
    const auto layer = std::find(layers_.begin(), layers_.end(), row.layer);
    const auto number = static_cast<std::size_t>(layer - layers_.begin());
    if (layer == layers_.end()) layers_.push_back(row.layer);
    if (!rows_.emplace(std::tuple(number, row.moment.point, row.moment.age_steps, row.cohort), &row).second)
      throw_input_error("cohorts: seed {}, event {}, {}, {} units at {}, {} steps, appears twice", row.seed, row.event,
                        row.layer, name_of(row.cohort), name_of(row.moment.point), row.moment.age_steps);
    moments_.emplace(std::pair(row.moment.point, row.moment.age_steps), row.moment);
  }

  const std::vector<std::string>& layers() const { return layers_; }

  const CohortRow* find(std::size_t layer, const Moment& moment, Cohort cohort) const {
    const auto row = rows_.find(std::tuple(layer, moment.point, moment.age_steps, cohort));
    return row == rows_.end() ? nullptr : row->second;
  }
  // A row of any layer and cohort, for values that are the same in all of them.
  const CohortRow* any(const Moment& moment) const {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer)
      for (const Cohort cohort : all_cohorts)
        if (const auto* row = find(layer, moment, cohort)) return row;
    return nullptr;
  }

  // Sorted by time.
  std::vector<Moment> moments() const {
    std::vector<Moment> all;
    for (const auto& [_, moment] : moments_) all.push_back(moment);
    return all;
  }
  // The only moment at this time point, if any.
  std::optional<Moment> moment(TimePoint point) const {
    for (const auto& [_, moment] : moments_)
      if (moment.point == point) return moment;
    return std::nullopt;
  }
  // Whether an age has the same state.
  bool repeats_an_age(const Moment& moment) const {
    return moment.point == TimePoint::end && moments_.contains(std::pair(TimePoint::age, moment.age_steps));
  }
  // Ages of 1, 2, ..., `last` epochs.
  std::vector<Moment> whole_epochs(double last) const {
    std::vector<Moment> ages;
    for (const auto& [_, moment] : moments_) {
      const bool is_age = moment.point == TimePoint::age || moment.point == TimePoint::end;
      const double epochs = moment.age_epochs;
      if (is_age && !repeats_an_age(moment) && epochs >= 1 && epochs <= last && epochs == std::floor(epochs))
        ages.push_back(moment);
    }
    return ages;
  }

 private:
  std::vector<std::string> layers_;
  std::map<std::tuple<std::size_t, TimePoint, std::int64_t, Cohort>, const CohortRow*> rows_;
  std::map<std::pair<TimePoint, std::int64_t>, Moment> moments_;
};

// The values of a summary, one per event.
struct Collected {
  std::map<std::string, std::vector<double>> values;
  std::map<std::string, std::int32_t> dead;

  double mean(const std::string& quantity) const {
    const auto found = values.find(quantity);
    return found == values.end() ? missing : mean_of(found->second);
  }
  std::int32_t deaths(const std::string& signal) const {
    const auto found = dead.find(signal);
    return found == dead.end() ? 0 : found->second;
  }
};

class Comparison {
 public:
  Comparison(std::uint32_t seed, std::int32_t number, const Event& event, std::vector<ParityRow>& rows,
             std::map<std::int32_t, Collected>& collected)
      : seed_(seed), number_(number), event_(event), rows_(rows), collected_(collected) {}

  void run() {
    for (const auto& measure : measures) {
      absolute(measure);
      ratios(measure);
      over_ages(measure, "early_" + measure.signal + "_log_parity_5", 5);
      over_ages(measure, "early_" + measure.signal + "_log_parity_10", 10);
      over_ages(measure, "segment_" + measure.signal + "_log_parity", std::numeric_limits<double>::infinity());
      if (measure.signal != "activation") continue;
      stability(measure, "survivor_stability", TimePoint::post, TimePoint::end);
      stability(measure, "mask_stability", TimePoint::post_mask, TimePoint::exit);
    }
    network(TimePoint::post_mask);
    network(TimePoint::post);
  }

 private:
  // Adds a row for each layer that has a value, which may be missing, and one for their mean; collects the mean.
  template <class OfLayer>
  void add(const std::string& quantity, std::int32_t batches, const Moment& moment, OfLayer&& of_layer,
           const std::string& collect_as = "") {
    std::vector<double> values;
    for (std::size_t layer = 0; layer < event_.layers().size(); ++layer) {
      const std::optional<double> value = of_layer(layer);
      if (!value) continue;
      rows_.push_back({seed_, number_, event_.layers()[layer], quantity, batches, moment, *value});
      values.push_back(*value);
    }
    if (values.empty()) return;
    const double mean = mean_of(values);
    rows_.push_back({seed_, number_, "all", quantity, batches, moment, mean});
    if (!collect_as.empty()) collected_[batches].values[collect_as].push_back(mean);
  }

  std::optional<double> mean(const Measure& measure, std::size_t layer, const Moment& moment, Cohort cohort) const {
    const auto* row = event_.find(layer, moment, cohort);
    if (row == nullptr) return std::nullopt;
    return row->*measure.mean;
  }

  // Compares two cohorts; no value unless both exist.
  template <class Formula>
  std::optional<double> compare(const Measure& measure, std::size_t layer, const Moment& moment,
                                Formula&& formula) const {
    const bool prune = moment.point == TimePoint::exit;
    const auto numerator = mean(measure, layer, moment, prune ? Cohort::kept : Cohort::newborn);
    const auto denominator = mean(measure, layer, moment, prune ? Cohort::pruned : Cohort::incumbent);
    if (!numerator || !denominator) return std::nullopt;
    return formula(*numerator, *denominator);
  }

  void absolute(const Measure& measure) {
    const auto add_mean = [&](TimePoint point, Cohort cohort) {
      if (const auto moment = event_.moment(point))
        add(std::string(name_of(cohort)) + "_" + measure.signal, measure.batches, *moment,
            [&](std::size_t layer) { return mean(measure, layer, *moment, cohort); });
    };
    add_mean(TimePoint::post, Cohort::newborn);
    add_mean(TimePoint::exit, Cohort::kept);
    add_mean(TimePoint::exit, Cohort::pruned);
  }

  void ratios(const Measure& measure) {
    for (const Moment& moment : event_.moments()) {
      add(measure.signal + "_ratio", measure.batches, moment,
          [&](std::size_t layer) { return compare(measure, layer, moment, parity_ratio); });
      // Values at the event: GROW has no parity at exit, PRUNE has none at post.
      const bool event_local = moment.point == TimePoint::post || moment.point == TimePoint::exit;
      add(
          measure.signal + "_log_parity", measure.batches, moment,
          [&](std::size_t layer) { return compare(measure, layer, moment, log_parity); },
          event_local ? "event_" + measure.signal : "");
      if (event_.repeats_an_age(moment)) continue;
      for (std::size_t layer = 0; layer < event_.layers().size(); ++layer)
        collected_[measure.batches].dead[measure.signal] +=
            compare(measure, layer, moment, [](double numerator, double) {
              return numerator == 0 ? 1.0 : 0.0;
            }).value_or(0) == 1.0;
    }
  }

  // The mean of a layer's log parities over ages.
  void over_ages(const Measure& measure, const std::string& quantity, double last) {
    const auto ages = event_.whole_epochs(last);
    if (ages.empty()) return;
    add(
        quantity, measure.batches, ages.back(),
        [&](std::size_t layer) -> std::optional<double> {
          std::vector<double> values;
          for (const Moment& age : ages)
            if (const auto value = compare(measure, layer, age, log_parity)) values.push_back(*value);
          if (values.empty()) return std::nullopt;
          return mean_of(values);
        },
        quantity);
  }

  // Compares the survivors at `point` with themselves at `other`.
  void stability(const Measure& measure, const std::string& name, TimePoint point, TimePoint other) {
    const auto moment = event_.moment(point), against = event_.moment(other);
    if (!moment || !against) return;
    const auto of = [&](auto formula) {
      return [=, this](std::size_t layer) -> std::optional<double> {
        const auto a = mean(measure, layer, *moment, Cohort::kept), b = mean(measure, layer, *against, Cohort::kept);
        if (!a || !b) return std::nullopt;
        return formula(*a, *b);
      };
    };
    add(name, measure.batches, *moment, of([](double a, double b) { return a - b; }), name);
    add(name + "_log", measure.batches, *moment, of(log_parity), name + "_log");
  }

  void network(TimePoint point) {
    const auto moment = event_.moment(point), exit = event_.moment(TimePoint::exit);
    if (!moment || !exit) return;
    const CohortRow *now = event_.any(*moment), *before = event_.any(*exit);
    rows_.push_back({seed_, number_, "all", "function_shock", 1, *moment, now->logit_distance});
    rows_.push_back({seed_, number_, "all", "loss_change", 1, *moment, now->loss - before->loss});
  }

  std::uint32_t seed_;
  std::int32_t number_;
  const Event& event_;
  std::vector<ParityRow>& rows_;
  std::map<std::int32_t, Collected>& collected_;
};

ParitySummary summary_of(std::uint32_t seed, std::int32_t batches, const Collected& all) {
  return {.seed = seed,
          .batches = batches,
          .early_activation_5 = all.mean("early_activation_log_parity_5"),
          .early_gradient_5 = all.mean("early_gradient_log_parity_5"),
          .early_activation_10 = all.mean("early_activation_log_parity_10"),
          .early_gradient_10 = all.mean("early_gradient_log_parity_10"),
          .event_activation = all.mean("event_activation"),
          .event_gradient = all.mean("event_gradient"),
          .segment_activation = all.mean("segment_activation_log_parity"),
          .survivor_stability = all.mean("survivor_stability"),
          .survivor_stability_log = all.mean("survivor_stability_log"),
          .mask_stability = all.mean("mask_stability"),
          .mask_stability_log = all.mean("mask_stability_log"),
          .dead_activation = all.deaths("activation"),
          .dead_gradient = all.deaths("gradient")};
}

}  // namespace

double parity_ratio(double numerator, double denominator) {
  return numerator == 0 ? missing : numerator / (denominator + epsilon);
}

double log_parity(double numerator, double denominator) { return std::log(parity_ratio(numerator, denominator)); }

Parities parities(std::span<const CohortRow> rows) {
  std::map<std::uint32_t, std::map<std::int32_t, Event>> seeds;
  for (const auto& row : rows) seeds[row.seed][row.event].add(row);
  Parities result;
  for (const auto& [seed, events] : seeds) {
    std::map<std::int32_t, Collected> collected;
    for (const auto& [number, event] : events) Comparison(seed, number, event, result.rows, collected).run();
    for (const std::int32_t batches : {1, 8}) result.summaries.push_back(summary_of(seed, batches, collected[batches]));
  }
  return result;
}

}  // namespace cambium
