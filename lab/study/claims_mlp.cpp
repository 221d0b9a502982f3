// Claims 1 to 7: small MLPs on MNIST, Split-MNIST and Split-Fashion.

#include <algorithm>
#include <cmath>

#include "lab/study/evidence.hpp"

namespace cambium {
namespace {

CellKeys cell(const std::string& stream, const std::string& method, const std::string& level) {
  return with(method_at(method, level), {{"stream", stream}});
}

Ruling tickets_are_equally_good(const Study& study) {
  const auto& table = study.of("table-3");
  Evidence evidence;
  for (const auto& level : levels) {
    const double difference = table.points(cell("mnist", "grow", level), "ticket.accuracy").mean -
                              table.points(cell("mnist", "prune", level), "ticket.accuracy").mean;
    evidence.add(std::abs(difference) <= 0.15, fmt::format("{} {:+.2f}", percent(level), difference));
  }
  return evidence.ruling();
}

// The differences change sign, or all are within the joint interval.
Ruling no_stable_order(const Study& study, const std::string& stream) {
  const auto& table = study.of("table-3");
  Evidence evidence;
  bool above = false, below = false, inside = true;
  for (const auto& level : levels) {
    const auto grow = table.points(cell(stream, "grow", level), "ticket.accuracy");
    const auto prune = table.points(cell(stream, "prune", level), "ticket.accuracy");
    const double difference = grow.mean - prune.mean, joint = std::hypot(grow.half_width, prune.half_width);
    above = above || difference > 0;
    below = below || difference < 0;
    inside = inside && std::abs(difference) <= joint;
    evidence.note(fmt::format("{} {:+.2f} ± {:.2f}", percent(level), difference, joint));
  }
  evidence.add((above && below) || inside, above && below ? "the sign changes" : inside ? "all inside" : "one order");
  return evidence.ruling();
}

Ruling tickets_end_below_on_mnist(const Study& study) {
  const auto& table = study.of("table-3");
  Evidence evidence;
  for (const auto* method : {"grow", "prune"})
    for (const auto& level : levels) {
      const double gain = table.points(cell("mnist", method, level), "gain.accuracy").mean;
      evidence.add(gain < 0, fmt::format("{} {} {:+.2f}", method, percent(level), gain));
    }
  return evidence.ruling();
}

Ruling tickets_end_above_on_split_streams(const Study& study) {
  const auto& table = study.of("table-3");
  Evidence evidence;
  for (const auto* stream : {"split-mnist", "split-fashion"})
    for (const auto& level : levels) {
      const auto grow = table.points(cell(stream, "grow", level), "gain.accuracy");
      const auto prune = table.points(cell(stream, "prune", level), "gain.accuracy");
      evidence.add(grow.mean > grow.half_width && prune.mean > prune.half_width && grow.mean > prune.mean,
                   fmt::format("{} {} GROW {:+.2f} PRUNE {:+.2f}", stream, percent(level), grow.mean, prune.mean));
    }
  return evidence.ruling();
}

Ruling nothing_stays_without_replay(const Study& study) {
  Evidence evidence;
  for (const auto* method : {"dense", "grow", "prune"}) {
    const double accuracy = study.of("claim-6").points(method_at(method, "0.2"), "accuracy").mean;
    evidence.add(accuracy > 15 && accuracy < 25, fmt::format("{} {:.1f}", method, accuracy));
  }
  return evidence.ruling();
}

Ruling wider_tickets_are_better(const Study& study) {
  Evidence evidence;
  for (const auto* method : {"grow", "prune"}) {
    std::vector<double> means;
    for (const auto& level : levels)
      means.push_back(study.of("table-3").points(cell("mnist", method, level), "ticket.accuracy").mean);
    evidence.add(rises(means), fmt::format("{} {:.2f}", method, fmt::join(means, " ")));
  }
  return evidence.ruling();
}

}  // namespace

std::vector<StudyClaim> mlp_claims() {
  const std::vector<std::string> tables{"table-1", "table-3"};
  return {
      {1, "GROW and PRUNE tickets are equally good on MNIST: they differ by at most 0.15 points at every compactness",
       tables, tickets_are_equally_good},
      {2, "There is no stable order of GROW and PRUNE tickets on Split-MNIST", tables,
       [](const Study& study) { return no_stable_order(study, "split-mnist"); }},
      {3, "There is no stable order of GROW and PRUNE tickets on Split-Fashion", tables,
       [](const Study& study) { return no_stable_order(study, "split-fashion"); }},
      {4, "On MNIST tickets are less accurate than the networks at the end of the cycles", tables,
       tickets_end_below_on_mnist},
      {5,
       "On both split streams tickets are clearly more accurate (by more than their interval) than the end of the "
       "cycles, and GROW gains more than PRUNE",
       tables, tickets_end_above_on_split_streams},
      {6,
       "Without replay, the accuracy on Split-MNIST falls to near chance (15 to 25 %) with every method",
       {"claim-6"},
       nothing_stays_without_replay},
      {7, "On MNIST, ticket accuracy rises with compactness", tables, wider_tickets_are_better},
  };
}

}  // namespace cambium
