// Claims 8 to 17 and 30 to 34: whole CIFAR-100 and CIFAR-10.

#include <algorithm>

#include "lab/study/evidence.hpp"

namespace cambium {
namespace {

constexpr double significant = 0.05;

// The difference of two methods in a measure at a level.
struct Contrast {
  double difference = 0, p = 1;
  bool above() const { return difference > 0 && p < significant; }
  bool equal() const { return p >= significant; }
  std::string text(const std::string& level) const {
    return fmt::format("{} {:+.2f} (p {:.4f})", percent(level), difference, p);
  }
};

Contrast contrast(const Findings& table, const std::string& first, const std::string& second, const std::string& level,
                  const std::string& measure) {
  const auto a = table.points(method_at(first, level), measure), b = table.points(method_at(second, level), measure);
  return {a.mean - b.mean, welch_test(a, b).p};
}

// One method is significantly above another at every compactness.
Ruling above(const Study& study, const std::string& table, const std::string& first, const std::string& second,
             const std::string& measure) {
  Evidence evidence;
  for (const auto& level : levels) {
    const auto difference = contrast(study.of(table), first, second, level, measure);
    evidence.add(difference.above(), difference.text(level));
  }
  return evidence.ruling();
}

// GROW and PRUNE differ significantly at no compactness.
Ruling equal(const Study& study, const std::string& table, const std::vector<std::string>& measures) {
  Evidence evidence;
  for (const auto& measure : measures)
    for (const auto& level : levels) {
      const auto difference = contrast(study.of(table), "grow", "prune", level, measure);
      evidence.add(difference.equal(), difference.text(level));
    }
  return evidence.ruling();
}

std::vector<double> means(const Findings& table, const std::string& method, const std::string& measure) {
  std::vector<double> result;
  for (const auto& level : levels) result.push_back(table.points(method_at(method, level), measure).mean);
  return result;
}

Ruling cycle_accuracy_rises(const Study& study) {
  Evidence evidence;
  for (const auto* method : {"grow", "prune"}) {
    const auto all = means(study.of("table-4"), method, "accuracy");
    evidence.add(rises(all), fmt::format("{} {:.2f}", method, fmt::join(all, " ")));
  }
  return evidence.ruling();
}

Ruling prune_learns_earlier(const Study& study) {
  Evidence evidence;
  for (const auto& level : levels) {
    const auto difference = contrast(study.of("table-4"), "prune", "grow", level, "taa");
    evidence.add(level == "0.5" ? difference.equal() : difference.above(), difference.text(level));
  }
  return evidence.ruling();
}

Ruling tickets_beat_dense_and_fall(const Study& study) {
  Evidence evidence;
  const auto& table = study.of("table-4");
  for (const auto* method : {"grow", "prune"}) {
    for (const auto& level : levels) {
      const auto difference = contrast(table, method, "dense", level, "ticket.accuracy");
      evidence.add(difference.above(), fmt::format("{} - DENSE {}", method, difference.text(level)));
    }
    const auto all = means(table, method, "ticket.accuracy");
    evidence.add(falls(all), fmt::format("{} {:.2f}", method, fmt::join(all, " ")));
  }
  return evidence.ruling();
}

Ruling gain_has_sign_and_falls(const Study& study, const std::string& method, bool positive) {
  Evidence evidence;
  const auto all = means(study.of("table-4"), method, "gain.accuracy");
  const bool sign = std::all_of(all.begin(), all.end(), [&](double gain) { return positive ? gain > 0 : gain < 0; });
  evidence.add(sign && falls(all), fmt::format("{:+.2f}", fmt::join(all, " ")));
  return evidence.ruling();
}

Ruling dense_leads_on_cifar_10(const Study& study) {
  Evidence evidence;
  const auto& table = study.of("table-10");
  for (const auto* measure : {"taa", "ticket.taa", "ticket.accuracy"}) {
    const double dense = table.points(method_at("dense", ""), measure).mean;
    double best = 0;
    for (const auto* method : {"grow", "prune"})
      for (const double mean : means(table, method, measure)) best = std::max(best, mean);
    evidence.add(dense > best, fmt::format("{}: DENSE {:.2f}, others at most {:.2f}", measure, dense, best));
  }
  for (const auto* level : {"0.3", "0.4", "0.5"}) {
    const auto difference = contrast(table, "grow", "dense", level, "accuracy");
    evidence.add(difference.equal(), fmt::format("GROW - DENSE {}", difference.text(level)));
  }
  return evidence.ruling();
}

Ruling effects_are_smaller_on_cifar_10(const Study& study) {
  Evidence evidence;
  for (const auto& level : levels) {
    const double hundred = contrast(study.of("table-4"), "grow", "prune", level, "accuracy").difference;
    const double ten = contrast(study.of("table-10"), "grow", "prune", level, "accuracy").difference;
    evidence.add(ten < hundred, fmt::format("{} {:+.2f} against {:+.2f}", percent(level), ten, hundred));
  }
  return evidence.ruling();
}

}  // namespace

std::vector<StudyClaim> cifar_claims() {
  const std::vector<std::string> accuracy{"table-4", "table-5", "figure-1"}, taa{"table-4", "table-6", "figure-1"};
  const std::vector<std::string> ten_accuracy{"table-10", "table-11", "figure-11"},
      ten_taa{"table-10", "table-12", "figure-11"}, both{"table-10", "figure-11"};
  return {
      {8, "CIFAR-100, end of the cycles: GROW is significantly above PRUNE at every compactness", accuracy,
       [](const Study& study) { return above(study, "table-4", "grow", "prune", "accuracy"); },
       "the text says that the gap grows with compactness; the printed gaps do not"},
      {9, "CIFAR-100, end of the cycles: GROW is significantly above DENSE at every compactness", accuracy,
       [](const Study& study) { return above(study, "table-4", "grow", "dense", "accuracy"); }},
      {10, "CIFAR-100, end of the cycles: GROW's and PRUNE's accuracy rises with compactness", accuracy,
       cycle_accuracy_rises},
      {11, "CIFAR-100, TAA of the cycles: PRUNE is significantly above GROW at 20, 30 and 40 %, and equal at 50 %", taa,
       prune_learns_earlier},
      {12, "CIFAR-100, ticket accuracy: GROW and PRUNE do not differ significantly at any compactness", accuracy,
       [](const Study& study) { return equal(study, "table-4", {"ticket.accuracy"}); }},
      {13, "CIFAR-100, ticket TAA: GROW and PRUNE do not differ significantly at any compactness", taa,
       [](const Study& study) { return equal(study, "table-4", {"ticket.taa"}); }},
      {14, "CIFAR-100: ticket accuracy of both methods is significantly above DENSE, and falls with compactness",
       accuracy, tickets_beat_dense_and_fall},
      {15, "CIFAR-100: GROW's tickets are below the end of its cycles, and the gap grows with compactness", accuracy,
       [](const Study& study) { return gain_has_sign_and_falls(study, "grow", false); }},
      {16, "CIFAR-100: PRUNE's tickets are above the end of its cycles, and the gap shrinks with compactness", accuracy,
       [](const Study& study) { return gain_has_sign_and_falls(study, "prune", true); }},
      {17, "CIFAR-100: PRUNE's tickets are significantly above GROW's at every compactness", accuracy,
       [](const Study& study) { return above(study, "table-4", "prune", "grow", "ticket.accuracy"); },
       "claimed in the abstract; the study's own tables do not support it"},
      {30, "CIFAR-10, end of the cycles: GROW is significantly above PRUNE at every compactness", ten_accuracy,
       [](const Study& study) { return above(study, "table-10", "grow", "prune", "accuracy"); }},
      {31, "CIFAR-10, TAA of the cycles: PRUNE is significantly above GROW at every compactness", ten_taa,
       [](const Study& study) { return above(study, "table-10", "prune", "grow", "taa"); }},
      {32, "CIFAR-10: accuracy and TAA of GROW's and PRUNE's tickets do not differ significantly at any compactness",
       ten_accuracy,
       [](const Study& study) {
         return equal(study, "table-10", {"ticket.accuracy", "ticket.taa"});
       }},
      {33,
       "CIFAR-10: DENSE has the highest TAA and the best ticket; from 30 % on GROW does not differ from it "
       "significantly",
       both, dense_leads_on_cifar_10},
      {34, "Effects are smaller on CIFAR-10 than on CIFAR-100: GROW - PRUNE at the end of the cycles", both,
       effects_are_smaller_on_cifar_10},
  };
}

}  // namespace cambium
