// Claims 18 to 29: parities of newborns and incumbents, of kept and pruned units, and the effects of the growth rule,
// of the allocation and of the number of cycles.

#include <algorithm>
#include <cmath>

#include "lab/study/evidence.hpp"

namespace cambium {
namespace {

constexpr double strongly = -0.5;  // log parity: the newborns' gradient is below 0.6 of the incumbents'

// The mean of the values that are not NaN.
double mean_of(const std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double value : values)
    if (!std::isnan(value)) sum += value, ++count;
  return sum / count;
}

const Finding& cell_of(const Study& study, const std::string& table, const CellKeys& keys) {
  return *study.of(table).where(keys).front();
}

// A quantity at a time point of every event: means over seeds.
std::vector<double> over_events(const Study& study, const Finding& cell, const std::string& quantity, TimePoint point) {
  const auto& table = study.parities(cell);
  std::vector<double> means;
  for (const auto event : table.events()) means.push_back(mean_of(table.values(quantity, point, event)));
  return means;
}

// A ratio at ages of 1, 2, ... whole epochs: means over seeds and events.
std::vector<double> over_ages(const Study& study, const Finding& cell, const std::string& quantity) {
  const auto& table = study.parities(cell);
  std::vector<double> means;
  for (std::int32_t age = 1;; ++age) {
    std::vector<double> all;
    for (const auto event : table.events())
      if (age <= table.oldest(event)) all.push_back(mean_of(table.at_age(quantity, age, event)));
    if (all.empty()) break;
    means.push_back(mean_of(all));
  }
  if (means.empty()) throw MissingRuns("no age of a whole epoch was recorded");
  return means;
}

// At every compactness, a quantity is positive at the first event (unless `any_sign`) and smaller at the last.
Ruling declines(const Study& study, const std::string& method, const std::string& quantity, TimePoint point,
                bool any_sign = false) {
  Evidence evidence;
  for (const auto& level : levels) {
    const auto means = over_events(study, cell_of(study, "table-4", method_at(method, level)), quantity, point);
    if (means.size() < 2) throw MissingRuns("there are fewer than two events");
    evidence.add((any_sign || means.front() > 0) && means.back() < means.front(),
                 fmt::format("{} {:+.2f}", percent(level), fmt::join(means, " ")));
  }
  return evidence.ruling();
}

Ruling gradients_are_behind_at_birth(const Study& study) {
  Evidence evidence;
  for (const auto& level : levels) {
    const auto means =
        over_events(study, cell_of(study, "table-4", method_at("grow", level)), "gradient_log_parity", TimePoint::post);
    evidence.add(std::all_of(means.begin(), means.end(), [](double mean) { return mean < strongly; }),
                 fmt::format("{} {:+.2f}", percent(level), fmt::join(means, " ")));
  }
  return evidence.ruling();
}

Ruling newborns_catch_up_in_activation_only(const Study& study) {
  Evidence evidence;
  for (const auto& level : levels) {
    const auto& cell = cell_of(study, "table-4", method_at("grow", level));
    const double activation = mean_of(over_ages(study, cell, "activation_ratio"));
    const auto gradient = over_ages(study, cell, "gradient_ratio");
    const double highest = *std::max_element(gradient.begin(), gradient.end());
    evidence.add(activation > 0.7 && activation < 1.3 && highest < 1,
                 fmt::format("{} activation {:.2f}, gradient at most {:.2f}", percent(level), activation, highest));
  }
  return evidence.ruling();
}

Ruling gradient_parities_do_not_overlap(const Study& study) {
  Evidence evidence;
  for (const auto& level : levels) {
    const auto grow = study.of("table-4").values(method_at("grow", level), "parity.event_gradient_log_parity");
    const auto prune = study.of("table-4").values(method_at("prune", level), "parity.event_gradient_log_parity");
    const double highest = *std::max_element(grow.begin(), grow.end());
    const double lowest = *std::min_element(prune.begin(), prune.end());
    evidence.add(highest < 0 && lowest > 0,
                 fmt::format("{} GROW at most {:+.2f}, PRUNE at least {:+.2f}", percent(level), highest, lowest));
  }
  return evidence.ruling();
}

Ruling parities_lie_in_their_quadrants(const Study& study) {
  Evidence evidence;
  for (const auto* method : {"grow", "prune"})
    for (const auto& level : levels) {
      const auto of = [&](const char* measure) {
        return study.of("table-4").estimate(method_at(method, level), measure).mean;
      };
      const double activation = of("parity.event_activation_log_parity"),
                   gradient = of("parity.event_gradient_log_parity");
      evidence.add(activation > 0 && (std::string(method) == "grow" ? gradient < 0 : gradient > 0),
                   fmt::format("{} {} ({:+.2f}, {:+.2f})", method, percent(level), activation, gradient));
    }
  return evidence.ruling();
}

Ruling gradient_score_changes_nothing(const Study& study) {
  Evidence evidence;
  const auto& table = study.of("table-7");
  for (const auto& level : levels) {
    const auto key = [&](const char* score) { return CellKeys{{"grow_score", score}, {"compactness", level}}; };
    const auto difference = [&](const char* measure) {
      return table.points(key("gradient"), measure).mean - table.points(key("activation"), measure).mean;
    };
    const double accuracy = difference("accuracy"), taa = difference("taa"), ticket = difference("ticket.accuracy");
    const double parity = table.estimate(key("gradient"), "parity.event_gradient_log_parity").mean;
    evidence.add(std::abs(accuracy) <= 0.3 && std::abs(taa) <= 0.3 && std::abs(ticket) <= 0.4 && parity < strongly,
                 fmt::format("{} ACC {:+.2f} TAA {:+.2f} ticket {:+.2f}, gradient parity {:+.2f}", percent(level),
                             accuracy, taa, ticket, parity));
  }
  return evidence.ruling();
}

// The bias schedule with the highest (or lowest) measure at a level.
std::string extreme_schedule(const Study& study, const std::string& level, const std::string& measure, bool highest) {
  std::string best;
  double value = 0;
  for (const auto* name : {"neutral", "fc1_protect", "fc3_protect", "ends_skewed"}) {
    const double mean = study.of("table-9").points({{"bias_schedule", name}, {"compactness", level}}, measure).mean;
    if (best.empty() || (highest ? mean > value : mean < value)) {
      best = name;
      value = mean;
    }
  }
  return best;
}

Ruling protecting_fc3_favours_cycles(const Study& study) {
  Evidence evidence;
  const auto add = [&](const std::string& level, const std::string& measure, bool highest) {
    const auto name = extreme_schedule(study, level, measure, highest);
    evidence.add(name == "fc3_protect",
                 fmt::format("{} {} {}: {}", percent(level), highest ? "highest" : "lowest", measure, name));
  };
  for (const auto& level : levels) {
    if (level != "0.5") {
      add(level, "accuracy", true);
      add(level, "taa", true);
    }
    add(level, "ticket.accuracy", false);
    add(level, "gain.accuracy", false);
  }
  return evidence.ruling();
}

Ruling skewed_ends_favour_tickets(const Study& study) {
  Evidence evidence;
  for (const auto& level : levels) {
    const auto name = extreme_schedule(study, level, "ticket.accuracy", true);
    evidence.add(name == (level == "0.2" ? "neutral" : "ends_skewed"), fmt::format("{} {}", percent(level), name));
  }
  return evidence.ruling();
}

Ruling more_cycles_cost_taa(const Study& study) {
  Evidence evidence;
  for (const auto& level : levels) {
    std::vector<double> taa, accuracy;
    for (const auto* cycles : {"5", "10", "20"}) {
      const CellKeys keys{{"cycles", cycles}, {"compactness", level}};
      taa.push_back(study.of("figure-12").points(keys, "taa").mean);
      accuracy.push_back(study.of("figure-12").points(keys, "accuracy").mean);
    }
    const auto [low, high] = std::minmax_element(accuracy.begin(), accuracy.end());
    evidence.add(
        falls(taa) && *high - *low < 0.5 * (taa.front() - taa.back()),
        fmt::format("{} TAA {:.2f}, ACC {:.2f}", percent(level), fmt::join(taa, " "), fmt::join(accuracy, " ")));
  }
  return evidence.ruling();
}

Ruling gradient_ratio_rises_with_age(const Study& study) {
  Evidence evidence;
  for (const auto* cycles : {"5", "10", "20"})
    for (const auto& level : levels) {
      const auto ages =
          over_ages(study, cell_of(study, "figure-12", {{"cycles", cycles}, {"compactness", level}}), "gradient_ratio");
      if (ages.size() < 2) throw MissingRuns("cycles of a single epoch have no ages to compare");
      bool as_claimed = ages.back() > ages.front();
      // With the longest cycles (5), the mean of the last quarter is above that of the quarter before.
      if (const std::size_t quarter = ages.size() / 4; std::string(cycles) == "5" && quarter > 0) {
        const auto mean_from = [&](std::size_t first) {
          return mean_of({ages.begin() + static_cast<std::ptrdiff_t>(first),
                          ages.begin() + static_cast<std::ptrdiff_t>(first + quarter)});
        };
        as_claimed = as_claimed && mean_from(ages.size() - quarter) > mean_from(ages.size() - 2 * quarter);
      }
      evidence.add(as_claimed,
                   fmt::format("{} cycles {} {:.2f} to {:.2f}", cycles, percent(level), ages.front(), ages.back()));
    }
  return evidence.ruling();
}

}  // namespace

std::vector<StudyClaim> mechanism_claims() {
  return {
      {18,
       "GROW's newborns are more active than incumbents at the first event (log parity above 0), and the parity is "
       "lower at the last event",
       {"figure-2"},
       [](const Study& study) { return declines(study, "grow", "activation_log_parity", TimePoint::post); }},
      {19,
       "Newborns' gradients at birth are much smaller (log parity below -0.5) at every event and compactness",
       {"figure-2"},
       gradients_are_behind_at_birth},
      {20,
       "Units that PRUNE keeps are more active than those it removes at the first event; the parity is lower at the "
       "last",
       {"figure-2"},
       [](const Study& study) { return declines(study, "prune", "activation_log_parity", TimePoint::exit); }},
      {21,
       "Survivors' activation right after pruning minus that at the end of training becomes more negative over events",
       {"figure-2"},
       [](const Study& study) { return declines(study, "prune", "survivor_stability", TimePoint::post, true); }},
      {22,
       "After birth newborns are about as active as incumbents (ratio 0.7 to 1.3), but their gradient ratio stays "
       "below 1 at all ages",
       {"figure-3"},
       newborns_catch_up_in_activation_only},
      {23,
       "Gradient parity at events is negative in every GROW run and positive in every PRUNE run",
       {"figure-6"},
       gradient_parities_do_not_overlap},
      {24,
       "In the plane of activation and gradient parity GROW lies at (+, -) and PRUNE at (+, +)",
       {"figure-7", "figure-8"},
       parities_lie_in_their_quadrants,
       "one of the study's figures places GROW at a mildly negative activation parity"},
      {25,
       "Growing by gradient makes no material difference: ACC and TAA within 0.3, tickets within 0.4, gradient parity "
       "still below -0.5",
       {"table-7", "figure-9", "figure-10"},
       gradient_score_changes_nothing},
      {26,
       "FC3-Protect has the highest cycle ACC and TAA up to 40 %, and the worst tickets and the most negative gain at "
       "every compactness",
       {"table-9"},
       protecting_fc3_favours_cycles},
      {27,
       "Ends-Skewed has the best tickets at 30, 40 and 50 %, Neutral at 20 %",
       {"table-9"},
       skewed_ends_favour_tickets},
      {28,
       "More cycles in the same number of epochs reduce TAA at every compactness, and ACC by less than half as much",
       {"figure-12"},
       more_cycles_cost_taa},
      {29,
       "Newborns' gradient ratio rises with age within a cycle; with five cycles it still rises at the end of a cycle",
       {"figure-13"},
       gradient_ratio_rises_with_age},
  };
}

}  // namespace cambium
