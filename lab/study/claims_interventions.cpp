// Claims 35 to 41: interventions on newborns, and the activation function.

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/study/evidence.hpp"

namespace cambium {
namespace {

const std::vector<std::string> variants{"grow",           "grow+two_speed", "grow+moment_transplant",
                                        "grow+net2wider", "grow+gradmax",   "grow+rsl"};

// The mean over seeds of a variant of figure 4 at one level, or over all levels if none is given.
double mean_of(const Study& study, const std::string& variant, const std::string& measure,
               const std::string& level = "") {
  CellKeys keys{{"variant", variant}};
  if (!level.empty()) keys["compactness"] = level;
  return study.of("figure-4").estimate(keys, measure).mean;
}

Ruling early_parity_goes_with_taa(const Study& study) {
  std::vector<double> taa, activation, gradient;
  for (const auto& variant : variants)
    for (const auto& level : levels) {
      taa.push_back(mean_of(study, variant, "taa", level));
      activation.push_back(mean_of(study, variant, "parity.early_activation_log_parity_5", level));
      gradient.push_back(mean_of(study, variant, "parity.early_gradient_log_parity_5", level));
    }
  const double by_gradient = spearman(gradient, taa), by_activation = spearman(activation, taa);
  Evidence evidence;
  evidence.add(by_gradient >= 0.5, fmt::format("gradient {:.2f}", by_gradient));
  evidence.add(by_activation >= 0.5, fmt::format("activation {:.2f}", by_activation));
  evidence.add(by_gradient >= by_activation, "gradient at least activation");
  return evidence.ruling();
}

// Variants by a measure, the highest first.
std::vector<std::string> ranked(const Study& study, const std::string& measure) {
  std::vector<std::pair<double, std::string>> all;
  for (const auto& variant : variants) all.emplace_back(-mean_of(study, variant, measure), variant);
  std::sort(all.begin(), all.end());
  std::vector<std::string> names;
  for (const auto& [value, name] : all) names.push_back(name);
  return names;
}

Ruling gradmax_and_slopes_relieve_most(const Study& study) {
  Evidence evidence;
  for (const auto* measure : {"parity.early_gradient_log_parity_5", "taa"}) {
    auto names = ranked(study, measure);
    const std::set<std::string> first(names.begin(), names.begin() + 2);
    names.erase(std::find(names.begin(), names.end(), "grow"));  // plain GROW is no intervention
    const std::set<std::string> last(names.end() - 2, names.end());
    evidence.add(first == std::set<std::string>{"grow+gradmax", "grow+rsl"} &&
                     last == std::set<std::string>{"grow+two_speed", "grow+net2wider"},
                 fmt::format("{}: {}", measure, fmt::join(ranked(study, measure), ", ")));
  }
  return evidence.ruling();
}

Ruling tickets_do_not_follow_taa(const Study& study) {
  const auto names = ranked(study, "taa");
  std::vector<double> tickets;
  for (const auto& name : names) tickets.push_back(100 * mean_of(study, name, "ticket.accuracy"));
  Evidence evidence;
  evidence.add(!rises(tickets) && !falls(tickets),
               fmt::format("tickets by falling TAA: {:.2f}", fmt::join(tickets, " ")));
  return evidence.ruling();
}

Ruling transplants_are_more_reliable(const Study& study) {
  int cells = 0, better = 0;
  for (const auto* stream : {"random-label-cifar", "5+1-cifar", "continual-imagenet", "permuted-mnist",
                             "random-label-mnist", "split-cifar100"})
    for (const auto& level : levels) {
      const auto of = [&](const char* variant) {
        return study.of("table-14")
            .points({{"stream", stream}, {"variant", variant}, {"compactness", level}}, "average")
            .mean;
      };
      ++cells;
      if (of("grow+moment_transplant") >= of("grow+two_speed")) ++better;
    }
  Evidence evidence;
  evidence.add(4 * better >= 3 * cells, fmt::format("{} of {} cells", better, cells));
  return evidence.ruling();
}

Ruling no_speed_wins_everywhere(const Study& study) {
  std::set<std::string> winners;
  Evidence evidence;
  for (const auto& level : levels) {
    std::string best;
    double highest = -INFINITY;
    for (const auto* factor : {"2", "3", "5", "8", "10"})
      for (const auto* steps : {"782", "1564", "1955", "3910", "7820"}) {
        const double mean =
            study.of("claim-39")
                .points({{"two_speed_r", factor}, {"two_speed_steps", steps}, {"compactness", level}}, "taa")
                .mean;
        if (mean > highest) {
          highest = mean;
          best = fmt::format("r = {}, N = {}", factor, steps);
        }
      }
    winners.insert(best);
    evidence.note(fmt::format("{} {}", percent(level), best));
  }
  evidence.add(winners.size() > 1, fmt::format("{} winners", winners.size()));
  return evidence.ruling();
}

Ruling slopes_help_newborns(const Study& study) {
  Evidence evidence;
  const auto& cells = study.of("figure-15");
  for (const auto& level : levels) {
    const auto of = [&](const char* activation, const char* measure) {
      return cells.estimate({{"activation", activation}, {"compactness", level}}, measure).mean;
    };
    // Means over all events, ages and seeds.
    const auto ratio_of = [&](const char* activation, const char* quantity) {
      const auto& table = study.parities(*cells.where({{"activation", activation}, {"compactness", level}}).front());
      double sum = 0, count = 0;
      for (const auto event : table.events())
        for (std::int32_t age = 1; age <= table.oldest(event); ++age)
          for (const double value : table.at_age(quantity, age, event))
            if (!std::isnan(value)) sum += value, ++count;
      if (count == 0) throw MissingRuns("no age of a whole epoch was recorded");
      return sum / count;
    };
    const double relu_birth = of("relu", "parity.event_activation_log_parity"),
                 rsl_birth = of("rsl", "parity.event_activation_log_parity");
    const double relu_gradient = of("relu", "parity.event_gradient_log_parity"),
                 rsl_gradient = of("rsl", "parity.event_gradient_log_parity");
    const double relu_activation_ratio = ratio_of("relu", "activation_ratio"),
                 rsl_activation_ratio = ratio_of("rsl", "activation_ratio");
    const double relu_gradient_ratio = ratio_of("relu", "gradient_ratio"),
                 rsl_gradient_ratio = ratio_of("rsl", "gradient_ratio");
    evidence.add(
        rsl_birth > relu_birth && relu_gradient < -0.5 && rsl_gradient < -0.5 &&
            rsl_activation_ratio > relu_activation_ratio && rsl_gradient_ratio > relu_gradient_ratio &&
            rsl_gradient_ratio < 1,
        fmt::format("{} ReLU, RSL: birth activation {:+.2f}, {:+.2f}; birth gradient {:+.2f}, {:+.2f}; activation "
                    "ratio {:.2f}, {:.2f}; gradient ratio {:.2f}, {:.2f}",
                    percent(level), relu_birth, rsl_birth, relu_gradient, rsl_gradient, relu_activation_ratio,
                    rsl_activation_ratio, relu_gradient_ratio, rsl_gradient_ratio));
  }
  return evidence.ruling();
}

Ruling slopes_help_growth_most(const Study& study) {
  Evidence evidence;
  for (const auto* stream : {"random-label-cifar", "5+1-cifar", "continual-imagenet", "cifar-100"}) {
    const auto gain = [&](const char* method) {
      // Over all levels of compactness.
      const auto of = [&](const char* activation) {
        return study.of("figure-14")
            .points({{"stream", stream}, {"method", method}, {"activation", activation}}, "average")
            .mean;
      };
      return of("rsl") - of("relu");
    };
    const double dense = gain("dense"), grow = gain("grow"), prune = gain("prune");
    evidence.add(grow > dense && grow > prune,
                 fmt::format("{} DENSE {:+.1f} GROW {:+.1f} PRUNE {:+.1f}", stream, dense, grow, prune));
  }
  return evidence.ruling();
}

}  // namespace

std::vector<StudyClaim> intervention_claims() {
  const std::vector<std::string> study{"figure-4"};
  return {
      {35,
       "Early gradient parity correlates with cycle TAA over variants and compactness (Spearman at least 0.5; printed "
       "0.88), and so does activation parity (0.83), but not more strongly",
       study, early_parity_goes_with_taa},
      {36,
       "GradMax and RSL have the highest early gradient parity and TAA; of the interventions Two-Speed and Net2Wider "
       "have the lowest",
       study, gradmax_and_slopes_relieve_most},
      {37, "Ticket accuracy is not monotone in cycle TAA over the variants", study, tickets_do_not_follow_taa},
      {38,
       "Moment Transplant is more reliable than Two-Speed: at least its average accuracy in three quarters of the "
       "cells of Table 14",
       {"table-14"},
       transplants_are_more_reliable},
      {39, "No Two-Speed setting has the best TAA at every compactness", {"claim-39"}, no_speed_wins_everywhere},
      {40,
       "In GROW, RSL has a higher activation parity at birth than ReLU and higher ratios afterwards; gradient parity "
       "at birth stays below -0.5 and the gradient ratio below 1",
       {"figure-15", "figure-16"},
       slopes_help_newborns},
      {41,
       "RSL gains most with GROW on Random-Label CIFAR, 5+1 CIFAR, Continual ImageNet and CIFAR-100",
       {"figure-14"},
       slopes_help_growth_most},
  };
}

}  // namespace cambium
