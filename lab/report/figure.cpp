#include "lab/report/figure.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text_file.hpp"
#include "lab/report/svg.hpp"

namespace cambium {
namespace {

void run_gnuplot(const std::filesystem::path& folder, const std::vector<std::string>& scripts) {
  std::vector<std::string> words{"gnuplot"};
  for (const auto& script : scripts) words.push_back("./" + script);
  try {
    const auto result = run_command(words, {.folder = folder, .ends_with_parent = true});
    if (result.exit_code != 0)
      throw_environment_error("gnuplot failed in {}: {}{}\nRun it there by hand: gnuplot {}", folder.string(),
                              result.output, result.errors, fmt::join(scripts, " "));
  } catch (const ProgramNotFound& error) {
    throw_environment_error("{}. It draws the figures (Debian: apt install gnuplot-nox).", error.what());
  }
}

}  // namespace

bool Figure::empty() const {
  return std::all_of(groups.begin(), groups.end(), [](const PlotGroup& group) { return group.plots.empty(); });
}

Figure make_figure(const Experiment& experiment, const std::string& name, std::span<const ShownCell> cells) {
  auto panels = read_panels(experiment);
  if (panels.empty()) panels = default_panels(experiment);
  CellTables tables(panels);
  Figure figure{.name = name, .title = experiment.title};
  for (const auto& panel : panels) {
    auto group = make_plots(panel, cells, tables, experiment.selected_key);
    if (!group.plots.empty()) figure.groups.push_back(std::move(group));
  }
  return figure;
}

std::vector<DrawnFigure> draw(std::span<const Figure> figures, const std::filesystem::path& folder) {
  make_folder(folder);
  std::vector<std::string> scripts;
  std::vector<DrawnFigure> drawn;
  for (const auto& figure : figures) {
    const auto text = figure_text(figure);
    DurableFile::write(folder / (figure.name + ".gp"), text.script);
    DurableFile::write(folder / (figure.name + ".dat"), text.data);
    DurableFile::write(folder / (figure.name + ".csv"), figure_table(figure));
    scripts.push_back(figure.name + ".gp");
    drawn.push_back({.width = text.width, .points_left_out = text.points_left_out});
  }
  if (!scripts.empty()) run_gnuplot(folder, scripts);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto& figure = figures[i];
    const auto file = folder / (figure.name + ".svg");
    drawn[i].svg = tidy_svg(read_text_file(file), figure.name, figure.title);
    // The file by itself needs text colours for light and dark backgrounds; on a page, the page sets them.
    auto standalone = drawn[i].svg;
    standalone.insert(
        standalone.find("</title>") + 8,
        "<style>svg.figure{color:#24292f}@media(prefers-color-scheme:dark){svg.figure{color:#d6dae0}}</style>");
    DurableFile::write(file, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + standalone);
  }
  return drawn;
}

}  // namespace cambium
