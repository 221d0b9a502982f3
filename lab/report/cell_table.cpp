#include "lab/report/cell_table.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/html.hpp"
#include "base/text.hpp"
#include "lab/config/config.hpp"
#include "lab/results/labels.hpp"
#include "lab/results/measures.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_open_rows = 24;

std::vector<std::string> main_measures(std::span<const ShownCell> cells) {
  const bool streams = std::any_of(cells.begin(), cells.end(), [](const ShownCell& cell) {
    return cell.cell->config.stream().kind != StreamEntry::Kind::iid;
  });
  const bool tickets =
      std::any_of(cells.begin(), cells.end(), [](const ShownCell& cell) { return cell.cell->config.ticket; });
  std::vector<std::string> names;
  if (streams) names.push_back("average");
  for (const auto* name : {"accuracy", "taa"}) names.push_back(name);
  if (streams)
    for (const auto* name : {"early_window_10", "early_tasks"}) names.push_back(name);
  if (tickets)
    for (const auto* name : {"ticket.accuracy", "ticket.taa", "gain.accuracy"}) names.push_back(name);
  std::erase_if(names, [&](const std::string& name) {
    return std::none_of(cells.begin(), cells.end(), [&](const ShownCell& cell) { return cell.result->has(name); });
  });
  return names;
}

// Sort keys of rows: numbers by value, other values by first occurrence.
class RowOrder {
 public:
  RowOrder(std::span<const ShownCell> cells, const std::vector<std::string>& keys) : keys_(keys) {
    for (const auto& key : keys)
      for (const auto& cell : cells)
        if (const auto value = cell.value(key))
          places_[key].try_emplace(*value, static_cast<double>(places_[key].size()) + 1);
  }

  std::vector<double> operator()(const ShownCell& cell) const {
    std::vector<double> order;
    for (const auto& key : keys_) {
      const auto value = cell.value(key);
      double place = -INFINITY;  // cells without the key come first
      if (value && !parse_number(*value, place)) place = places_.at(key).at(*value);
      order.push_back(place);
    }
    return order;
  }

 private:
  const std::vector<std::string>& keys_;
  std::map<std::string, std::map<std::string, double>> places_;
};

std::string estimate_cell(const CellResult& result, const Measure& measure) {
  if (!result.has(measure.name)) return "";
  const auto estimate = result.estimate_of(measure.name);
  if (!std::isfinite(estimate.mean)) return "–";
  const auto sign = measure.name.starts_with("gain.") && estimate.mean > 0 ? "+" : "";
  auto text = fmt::format("{}{:.2f}", sign, measure.factor * estimate.mean);
  if (text.starts_with("-")) text.replace(0, 1, "−");
  if (std::isfinite(estimate.half_width))
    text += fmt::format("<span class=\"pm\"> ± {:.2f}</span>", measure.factor * estimate.half_width);
  return text;
}

}  // namespace

std::string cell_table(const Experiment& experiment, std::span<const ShownCell> cells,
                       const std::string& cells_address) {
  if (cells.empty()) return {};
  std::vector<CellKeys> all;
  for (const auto& cell : cells) all.push_back(cell.keys);
  const auto keys = distinguishing_keys(experiment, all);
  const auto measures = main_measures(cells);
  const RowOrder order(cells, keys);
  std::vector<std::pair<std::vector<double>, const ShownCell*>> rows;
  for (const auto& cell : cells) rows.emplace_back(order(cell), &cell);
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  std::string html = "<div class=\"wide\"><table><thead><tr>";
  for (const auto& key : keys) html += fmt::format("<th scope=\"col\">{}</th>", escaped(key_label(key)));
  for (const auto& name : measures)
    html += fmt::format("<th scope=\"col\" class=\"number\">{}</th>",
                        escaped(find_measure(cell_measures(), name)->label_with_unit()));
  html += "<th scope=\"col\" class=\"number\">seeds</th></tr></thead>\n<tbody>\n";
  for (const auto& [place, cell] : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto value = cell->value(keys[i]);
      const auto words = escaped(value ? value_label(keys[i], *value) : "");
      html += i == 0 ? fmt::format("<th scope=\"row\"><a href=\"{}\">{}</a></th>",
                                   escaped(address(cells_address + cell->cell->name + "/")),
                                   words.empty() ? escaped(cell->cell->name) : words)
                     : fmt::format("<td>{}</td>", words);
    }
    for (const auto& name : measures)
      html += fmt::format("<td class=\"number\">{}</td>",
                          estimate_cell(*cell->result, *find_measure(cell_measures(), name)));
    html += fmt::format("<td class=\"number\">{}</td></tr>\n", cell->result->seeds.size());
  }
  html += "</tbody></table></div>\n";
  const auto caption = fmt::format("{} cells: mean ± half-width of the 95 % interval over the seeds", cells.size());
  if (cells.size() <= most_open_rows) return fmt::format("<p class=\"note\">{}</p>\n{}", caption, html);
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", caption, html);
}

}  // namespace cambium
