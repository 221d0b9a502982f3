#include "lab/report/plot_labels.hpp"

#include <algorithm>
#include <string>

#include "lab/results/labels.hpp"
#include "lab/results/measures.hpp"

namespace cambium {
namespace {

// The two cohorts whose ratio a quantity is; empty if it is no ratio, or if the cells compare different cohorts.
std::string compared(const std::string& quantity, const Cells& cells) {
  if (quantity.starts_with("newborn_") || quantity.starts_with("kept_") || quantity.starts_with("pruned_")) return "";
  if (!quantity.ends_with("_ratio") && quantity.find("_log_parity") == std::string::npos) return "";
  const auto has = [&](Method method) {
    return std::any_of(cells.begin(), cells.end(),
                       [&](const auto& cell) { return cell->cell->config.method == method; });
  };
  if (has(Method::grow) && !has(Method::prune)) return ", newborn / incumbent";
  if (has(Method::prune) && !has(Method::grow)) return ", kept / pruned";
  return "";
}

std::string label_of(const std::string& name, const Cells& cells) {
  for (const auto* measures : {&cell_measures(), &epoch_columns()})
    if (const auto* measure = find_measure(*measures, name)) return measure->label_with_unit();
  return find_measure(event_quantities(), name)->label + compared(name, cells);
}

}  // namespace

std::string x_axis_label(const Panel& panel, const Cells& cells) {
  switch (panel.kind) {
    case Panel::Kind::over_key:
      return panel.x == "compactness" ? "compactness (%)" : key_label(panel.x);
    case Panel::Kind::cells:
    case Panel::Kind::events:
      return label_of(panel.x, cells);
    case Panel::Kind::over_epochs:
      return !cells.empty() && std::all_of(cells.begin(), cells.end(),
                                           [](const ShownCell* cell) {
                                             return cell->cell->config.period_name() == std::string("task");
                                           })
                 ? "task"
                 : "epoch";
    default:
      return key_label(panel.x);
  }
}

std::string y_axis_label(const Panel& panel, const Cells& cells) {
  if (panel.y.size() > 1) {
    const auto all = [&](const char* end) {
      return std::all_of(panel.y.begin(), panel.y.end(), [&](const auto& name) { return name.ends_with(end); });
    };
    if (all("_ratio")) return "ratio" + compared(panel.y.front(), cells);
    if (all("_log_parity")) return "log parity" + compared(panel.y.front(), cells);
    const auto* measure = find_measure(cell_measures(), panel.y.front());
    return measure == nullptr ? "" : measure->unit;
  }
  if (panel.minus.empty()) return label_of(panel.y.front(), cells);
  std::vector<std::string> from, subtracted;
  for (const auto& [key, values] : panel.minus) {
    for (const auto& value : distinct_values(cells, key)) from.push_back(value_label(key, value));
    for (const auto& value : values) subtracted.push_back(value_label(key, value));
  }
  const auto* measure = find_measure(cell_measures(), panel.y.front());
  return fmt::format("{}: {} − {}{}", measure->label, fmt::join(from, ", "), fmt::join(subtracted, ", "),
                     measure->unit.empty() ? "" : " (points)");
}

}  // namespace cambium
