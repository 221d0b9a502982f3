#include "lab/report/plot_labels.hpp"

#include <algorithm>
#include <string>

#include "lab/results/labels.hpp"

namespace cambium {
namespace {

// What the cohorts of these cells are compared with, for quantities that compare them.
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
  if (const auto* shown = find_shown(measures_shown(), name)) return shown->label();
  if (const auto* shown = find_shown(epoch_columns_shown(), name)) return shown->label();
  return find_shown(quantities_shown(), name)->words + compared(name, cells);
}

}  // namespace

std::string x_axis_label(const Panel& panel, const Cells& cells) {
  switch (panel.kind) {
    case Panel::Kind::over_key:
      return panel.x == "compactness" ? "compactness (%)" : words_for_key(panel.x);
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
      return words_for_key(panel.x);
  }
}

std::string y_axis_label(const Panel& panel, const Cells& cells) {
  if (panel.y.size() > 1) {
    const auto all = [&](const char* end) {
      return std::all_of(panel.y.begin(), panel.y.end(), [&](const auto& name) { return name.ends_with(end); });
    };
    if (all("_ratio")) return "ratio" + compared(panel.y.front(), cells);
    if (all("_log_parity")) return "log parity" + compared(panel.y.front(), cells);
    if (const auto* shown = find_shown(measures_shown(), panel.y.front())) return shown->unit;
    return "";
  }
  if (panel.minus.empty()) return label_of(panel.y.front(), cells);
  std::vector<std::string> from, subtracted;
  for (const auto& [key, values] : panel.minus) {
    for (const auto& value : distinct_values(cells, key)) from.push_back(words_for_value(key, value));
    for (const auto& value : values) subtracted.push_back(words_for_value(key, value));
  }
  const auto* shown = find_shown(measures_shown(), panel.y.front());
  return fmt::format("{}: {} − {}{}", shown->words, fmt::join(from, ", "), fmt::join(subtracted, ", "),
                     shown->unit.empty() ? "" : " (points)");
}

}  // namespace cambium
