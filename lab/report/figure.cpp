#include "lab/report/figure.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/html.hpp"
#include "base/process.hpp"
#include "base/text_file.hpp"

namespace cambium {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string result;
  result.reserve(text.size());
  std::size_t begin = 0;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    result.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  text = result.append(text, begin);
}

// Every stretch from `begin` to the next `end`, both included.
void remove_all(std::string& text, std::string_view begin, std::string_view end) {
  for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    const auto last = text.find(end, at);
    if (last == std::string::npos) return;
    text.erase(at, last + end.size() - at);
  }
}

// Indentation, and spaces between things.
void collapse_spaces(std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t';
    if (space && (result.empty() || result.back() == ' ' || result.back() == '\n')) {
      if (c == '\n' && !result.empty()) result.back() = '\n';
      continue;
    }
    result += c == '\t' ? ' ' : c;
  }
  text = result;
}

// rgb( 31, 127, 196) as #1f7fc4.
void shorten_colours(std::string& text) {
  std::string result;
  std::size_t begin = 0;
  for (auto at = text.find("rgb("); at != std::string::npos; at = text.find("rgb(", begin)) {
    int red = 0, green = 0, blue = 0;
    const auto end = text.find(')', at);
    if (end == std::string::npos || std::sscanf(text.c_str() + at, "rgb(%d,%d,%d)", &red, &green, &blue) != 3) break;
    result.append(text, begin, at - begin).append(fmt::format("#{:02x}{:02x}{:02x}", red, green, blue));
    begin = end + 1;
  }
  text = result.append(text, begin);
}

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

std::string tidy_svg(std::string svg, const std::string& name, const std::string& title) {
  svg.erase(0, svg.find("<svg"));
  // gnuplot opens a group of the same kind for almost everything.
  const std::string group =
      "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" "
      "stroke-linejoin=\"miter\">\n";
  replace_all(svg, "\n</g>\n" + group, "\n");
  remove_all(svg, "<title>", "</title>");
  remove_all(svg, "<desc>", "</desc>");
  remove_all(svg, "<filter", "</filter>");
  replace_all(svg, "<tspan font-family=\"sans-serif\" >", "");
  replace_all(svg, "</tspan>", "");
  replace_all(svg, "font-family=\"sans-serif\"", "");
  // Neutral grey is what scripts use for text and axes.
  for (const auto* grey : {"rgb(115, 120, 128)", "rgb(115,120,128)"}) replace_all(svg, grey, "currentColor");
  replace_all(svg, "color=\"black\"", "");
  for (const std::string what : {"fill", "stroke"}) replace_all(svg, what + "=\"black\"", what + "=\"currentColor\"");
  replace_all(svg, "stroke-linecap=\"butt\" stroke-linejoin=\"miter\"", "");
  collapse_spaces(svg);
  shorten_colours(svg);
  // Several figures may stand on one page.
  std::string own;
  for (const char c : name) own += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  for (const auto* before : {"id='", "id=\"", "href='#"}) replace_all(svg, before, fmt::format("{}{}-", before, own));
  const auto root = svg.find('>');
  svg.insert(root + 1, fmt::format("<title>{}</title>", escaped(title)));
  svg.insert(4, " class=\"figure\" role=\"img\" font-family=\"system-ui,sans-serif\"");
  return svg;
}

std::vector<DrawnFigure> draw(std::span<const Figure> figures, const std::filesystem::path& folder) {
  make_folder(folder);
  std::vector<std::string> scripts;
  std::vector<DrawnFigure> drawn;
  for (const auto& figure : figures) {
    const auto text = figure_text(figure);
    DurableFile::write(folder / (figure.name + ".gp"), text.script);
    DurableFile::write(folder / (figure.name + ".dat"), text.data);
    DurableFile::write(folder / (figure.name + ".csv"), text.table);
    scripts.push_back(figure.name + ".gp");
    drawn.push_back({.width = text.width, .points_left_out = text.points_left_out});
  }
  if (!scripts.empty()) run_gnuplot(folder, scripts);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto& figure = figures[i];
    const auto file = folder / (figure.name + ".svg");
    drawn[i].svg = tidy_svg(read_text_file(file), figure.name, figure.title);
    // By itself it has to know the colour of the ground.
    auto alone = drawn[i].svg;
    alone.insert(
        alone.find("</title>") + 8,
        "<style>svg.figure{color:#24292f}@media(prefers-color-scheme:dark){svg.figure{color:#d6dae0}}</style>");
    DurableFile::write(file, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n" + alone);
  }
  return drawn;
}

}  // namespace cambium
