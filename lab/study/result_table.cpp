#include "lab/study/result_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/results/labels.hpp"
#include "lab/results/measures.hpp"
#include "lab/study/comparison.hpp"

namespace cambium {
namespace {

constexpr double significant = 0.05;

std::string cell_text(const Finding& finding, const std::string& measure) {
  if (!finding.result) return "not done";
  if (!finding.result->has(measure)) return "-";
  auto estimate = finding.result->estimate_of(measure);
  estimate.mean *= 100;
  estimate.half_width *= 100;
  return estimate_text(estimate, false);
}

}  // namespace

std::string to_text(const PrintedTable& table, const Experiment& experiment, const Findings& findings) {
  std::vector<CellKeys> cells;
  for (const auto& finding : findings.all()) cells.push_back(finding.keys);
  const auto keys = distinguishing_keys(experiment, cells);
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& key : keys) rows[0].push_back(key_label(key));
  for (const auto& measure : table.measures) rows[0].push_back(measure_label(measure));
  for (const auto& finding : findings.all()) {
    auto& row = rows.emplace_back();
    for (const auto& key : keys) row.push_back(value_label(key, finding.key(key)));
    for (const auto& measure : table.measures) row.push_back(cell_text(finding, measure));
  }
  return aligned(rows);
}

std::string conclusion(const Findings& findings) {
  std::set<std::string> streams, levels, variants;
  for (const auto& finding : findings.all()) {
    streams.insert(finding.key("stream"));
    variants.insert(finding.key("variant"));
    if (const auto level = finding.key("compactness"); !level.empty()) levels.insert(level);
  }
  if (streams.size() != 1 || levels.size() != 1 || variants != std::set<std::string>{"dense", "grow", "prune"})
    return {};
  try {
    const auto of = [&](const char* variant, const char* measure) {
      return findings.points({{"variant", variant}}, measure);
    };
    const auto grow = of("grow", "ticket.accuracy"), prune = of("prune", "ticket.accuracy");
    const double p = welch_test(grow, prune).p;
    return fmt::format(
        "With {} of the hidden layers' weights, GROW reaches {:.1f} % and PRUNE {:.1f} %; DENSE with all weights "
        "reaches {:.1f} %. Retrained from the start, the grown ticket reaches {:.1f} % and the pruned ticket {:.1f} %: "
        "{} "
        "(p = {:.2f}, {} seeds).",
        value_label("compactness", *levels.begin()), of("grow", "accuracy").mean, of("prune", "accuracy").mean,
        of("dense", "accuracy").mean, grow.mean, prune.mean,
        p >= significant
            ? "no significant difference, so the method that chose the units does not matter for the ticket"
        : grow.mean > prune.mean ? "the grown ticket is significantly better"
                                 : "the pruned ticket is significantly better",
        p, grow.count);
  } catch (const MissingRuns&) {
    return {};
  }
}

}  // namespace cambium
