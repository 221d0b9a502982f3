// Claims 42 to 51: continual-learning streams.

#include <algorithm>
#include <cmath>

#include "lab/study/evidence.hpp"

namespace cambium {
namespace {

const std::vector<std::string> plasticity_streams{"random-label-cifar", "5+1-cifar", "continual-imagenet",
                                                  "permuted-mnist", "random-label-mnist"};
const std::vector<std::string> all_streams = [] {
  auto all = plasticity_streams;
  all.push_back("split-cifar100");
  return all;
}();
const std::vector<std::string> growth_variants{
    "grow", "grow+rsl", "grow+two_speed", "grow+moment_transplant", "grow+gradmax", "grow+net2wider"};

double score(const Study& study, const std::string& stream, const std::string& variant, const std::string& level,
             const std::string& measure = "average") {
  return study.of("table-14")
      .points({{"stream", stream}, {"variant", variant}, {"compactness", variant == "dense" ? "" : level}}, measure)
      .mean;
}

// A variant has the highest measure of several variants on some streams, at every compactness.
Ruling best(const Study& study, const std::string& variant, const std::vector<std::string>& among,
            const std::vector<std::string>& streams, const std::string& measure = "average") {
  Evidence evidence;
  for (const auto& stream : streams)
    for (const auto& level : levels) {
      const double own = score(study, stream, variant, level, measure);
      double other = -INFINITY;
      for (const auto& each : among)
        if (each != variant) other = std::max(other, score(study, stream, each, level, measure));
      evidence.add(own >= other,
                   fmt::format("{} {} {:.1f}, others at most {:.1f}", stream, percent(level), own, other));
    }
  return evidence.ruling();
}

std::vector<std::string> all_variants() {
  auto all = growth_variants;
  all.insert(all.end(), {"dense", "prune"});
  return all;
}

// The difference of two variants is as claimed on some streams at every compactness.
Ruling differences(const Study& study, const std::string& first, const std::string& second,
                   const std::vector<std::string>& streams,
                   bool (*as_claimed)(double difference, const std::string& stream)) {
  Evidence evidence;
  for (const auto& stream : streams)
    for (const auto& level : levels) {
      const double difference = score(study, stream, first, level) - score(study, stream, second, level);
      evidence.add(as_claimed(difference, stream), fmt::format("{} {} {:+.1f}", stream, percent(level), difference));
    }
  return evidence.ruling();
}

Ruling slopes_raise_early_accuracy(const Study& study) {
  Evidence evidence;
  for (const auto* stream : {"random-label-cifar", "random-label-mnist"})
    for (const auto& level : levels) {
      const double slopes = score(study, stream, "grow+rsl", level, "early_tasks");
      const double grow = score(study, stream, "grow", level, "early_tasks");
      const double prune = score(study, stream, "prune", level, "early_tasks");
      evidence.add(slopes > grow && slopes > prune - 0.2, fmt::format("{} {} RSL {:.1f} GROW {:.1f} PRUNE {:.1f}",
                                                                      stream, percent(level), slopes, grow, prune));
    }
  return evidence.ruling();
}

Ruling growth_wins_where_edits_are_rare(const Study& study) {
  Evidence evidence;
  for (const auto* stream : {"random-label-cifar", "random-label-mnist"})
    for (const auto& level : levels) {
      const auto lead = [&](const std::string& name) {
        return score(study, name, "grow", level) - score(study, name, "prune", level);
      };
      evidence.add(lead(stream) > lead("split-cifar100"),
                   fmt::format("{} {} {:+.1f}, split-cifar100 {:+.1f}", stream, percent(level), lead(stream),
                               lead("split-cifar100")));
    }
  return evidence.ruling();
}

}  // namespace

std::vector<StudyClaim> stream_claims() {
  const std::vector<std::string> average{"table-14", "figure-5"}, early{"table-14", "figure-17"};
  return {
      {42, "PRUNE has the best average accuracy on all five plasticity streams at every compactness", average,
       [](const Study& study) { return best(study, "prune", all_variants(), plasticity_streams); }},
      {43, "GROW+RSL has the best average accuracy on Split-CIFAR100 at every compactness", average,
       [](const Study& study) { return best(study, "grow+rsl", all_variants(), {"split-cifar100"}); }},
      {44, "GROW+RSL is above GROW in all 24 cells, by more than 75 points on Random-Label CIFAR", average,
       [](const Study& study) {
         return differences(study, "grow+rsl", "grow", all_streams, [](double difference, const std::string& stream) {
           return difference > (stream == "random-label-cifar" ? 75 : 0);
         });
       }},
      {45, "GROW+RSL is the best growth variant in all 24 cells", average,
       [](const Study& study) { return best(study, "grow+rsl", growth_variants, all_streams); }},
      {46, "GROW is above DENSE on 5+1 CIFAR and Split-CIFAR100, and below it on the other streams", average,
       [](const Study& study) {
         return differences(study, "grow", "dense", all_streams, [](double difference, const std::string& stream) {
           return (stream == "5+1-cifar" || stream == "split-cifar100") == (difference > 0);
         });
       }},
      {47, "GROW is weak on Split-CIFAR100: it is not above DENSE", average,
       [](const Study& study) {
         return differences(study, "grow", "dense", {"split-cifar100"},
                            [](double difference, const std::string&) { return difference <= 0; });
       },
       "the printed table says the opposite"},
      {48, "Net2Wider is below GROW on Split-CIFAR100 and Random-Label MNIST at every compactness", average,
       [](const Study& study) {
         return differences(study, "grow+net2wider", "grow", {"split-cifar100", "random-label-mnist"},
                            [](double difference, const std::string&) { return difference < 0; });
       }},
      {49, "DENSE has the best early accuracy on Permuted MNIST, Continual ImageNet and 5+1 CIFAR", early,
       [](const Study& study) {
         return best(study, "dense", all_variants(), {"permuted-mnist", "continual-imagenet", "5+1-cifar"},
                     "early_tasks");
       },
       "DENSE's printed early values are not comparable with the others"},
      {50,
       "GROW+RSL has a higher early accuracy than GROW on both Random-Label streams, and at most 0.2 less than PRUNE",
       early, slopes_raise_early_accuracy},
      {51,
       "Growth benefits from rare edits: relative to PRUNE, GROW is better on Random-Label streams than on "
       "Split-CIFAR100",
       average, growth_wins_where_edits_are_rare, "the printed table says the opposite"},
  };
}

}  // namespace cambium
