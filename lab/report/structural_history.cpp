#include "lab/report/structural_history.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "base/html.hpp"
#include "lab/report/series_style.hpp"
#include "lab/results/labels.hpp"
#include "lab/results/run_record.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_runs = 9;

// Lines of layers with equal numbers of units coincide, so each one is thinner than the line below it.
double thickness_of(std::size_t layer, std::size_t layers) {
  return 1.6 + 1.6 * static_cast<double>(layers - 1 - layer);
}

}  // namespace

std::vector<ShownCell> select_history_runs(std::span<const ShownCell> cells, const std::vector<std::string>& named) {
  std::vector<ShownCell> runs;
  for (const auto& name : named) {
    const auto found =
        std::find_if(cells.begin(), cells.end(), [&](const ShownCell& cell) { return cell.cell->name == name; });
    if (found == cells.end()) {
      std::vector<std::string> names;
      for (const auto& cell : cells) names.push_back(cell.cell->name);
      const auto near = nearest(name, names);
      throw_input_error("--history {}: no cell of that name is done.{}", name,
                        near.empty() ? "" : fmt::format(" Did you mean {}?", near));
    }
    if (!found->cell->config.edits()) throw_input_error("--history {}: this run has no edits", name);
    runs.push_back(*found);
  }
  if (!named.empty()) return runs;
  std::set<std::string> variants;
  for (const auto& cell : cells)
    if (cell.cell->config.edits() && runs.size() < most_runs && std::filesystem::exists(cell.folder / "epochs.csv") &&
        variants.insert(cell.cell->config.variant()).second)
      runs.push_back(cell);
  return runs;
}

std::string run_label(const ShownCell& run) {
  auto words =
      fmt::format("{}, {}", value_label("variant", *run.value("variant")), value_label("stream", *run.value("stream")));
  if (const auto compactness = run.value("compactness"))
    words += fmt::format(", {}", value_label("compactness", *compactness));
  return words;
}

Figure history_figure(std::span<const ShownCell> runs) {
  Figure figure{.name = "structural-history", .title = "Active units per hidden layer"};
  PlotGroup group{.title = "Active units per hidden layer, mean over seeds; vertical lines: grow/prune events",
                  .same_scale = false};
  for (const auto& run : runs) {
    const auto& config = run.cell->config;
    const auto architecture = architecture_of(config);
    const auto curves = EpochCurves::read(run.folder / "epochs.csv", config);
    Plot plot{.title = run_label(run), .x_label = config.period_name(), .y_label = "active units", .from_zero = true};
    for (std::int32_t event = config.events().first(); event < config.cycles; ++event)
      plot.marks.push_back(config.cycle_end(event));
    for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer) {
      PlotSeries series{.label = architecture.hidden_name(layer),
                        .colour = colour_for("layer", "", layer, architecture.hidden.size(), false),
                        .marker = layer,
                        .form = PlotSeries::Form::curve,
                        .thickness = thickness_of(layer, architecture.hidden.size()),
                        .means = {{}}};
      // The units of a period are drawn from its start to its end, so that the curve has steps at the edits.
      for (std::int32_t period = 1; period <= curves.periods(); ++period)
        for (const double x : {period - 1.0, static_cast<double>(period)})
          if (const double units = curves.active_units(layer, period);
              series.means.front().empty() || series.means.front().back().mean != units || period == curves.periods() ||
              curves.active_units(layer, period + 1) != units)
            series.means.front().push_back({x, units, NAN, config.seeds.size()});
      if (!series.means.front().empty()) plot.series.push_back(std::move(series));
    }
    if (plot.empty()) continue;
    for (const auto& series : plot.series) {
      const LegendEntry entry{series.label, series.colour, series.marker, PlotSeries::Form::curve};
      if (std::find(group.legend.begin(), group.legend.end(), entry) == group.legend.end())
        group.legend.push_back(entry);
    }
    group.plots.push_back(std::move(plot));
  }
  if (!group.plots.empty()) figure.groups.push_back(std::move(group));
  return figure;
}

std::string edit_table(const ShownCell& run) {
  const auto& config = run.cell->config;
  const auto history = History::read(run.folder / "events.jsonl", config, architecture_of(config));
  const auto edits = summarise(history);
  if (edits.empty()) return {};
  const bool grow = config.method == Method::grow;
  std::string html = fmt::format(
      "<div class=\"wide\"><table><thead><tr><th scope=\"col\">edit</th><th scope=\"col\" class=\"number\">after "
      "{}</th>",
      config.period_name());
  for (const auto& layer : edits.front().layers)
    html += fmt::format("<th scope=\"col\" class=\"number\">{}: units</th><th scope=\"col\" class=\"number\">{}</th>",
                        escaped(layer.name), grow ? "born" : "pruned");
  html += "<th scope=\"col\" class=\"number\">loss before</th><th scope=\"col\" class=\"number\">after</th>";
  if (edits.front().loss_rewound) html += "<th scope=\"col\" class=\"number\">rewound</th>";
  html += "</tr></thead>\n<tbody>\n";
  const auto loss = [](double value) {
    return std::isfinite(value) ? fmt::format("<td class=\"number\">{:.3f}</td>", value)
                                : "<td class=\"number\">–</td>";
  };
  for (const auto& edit : edits) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td>", edit.event, edit.epoch);
    for (const auto& layer : edit.layers)
      html += fmt::format("<td class=\"number\">{} → {}</td><td class=\"number\">{}</td>", layer.active_before,
                          layer.active_after, std::abs(layer.active_after - layer.active_before));
    html += loss(edit.loss_before) + loss(edit.loss_after);
    if (edits.front().loss_rewound) html += loss(edit.loss_rewound.value_or(NAN));
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace cambium
