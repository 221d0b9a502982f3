#include "lab/report/report.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "base/durable_file.hpp"
#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/html.hpp"
#include "base/process.hpp"
#include "lab/experiment/collection.hpp"
#include "lab/report/cell_table.hpp"
#include "lab/report/figure.hpp"
#include "lab/report/page.hpp"
#include "lab/report/sessions.hpp"
#include "lab/report/structural_history.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_names = 50;  // of cells that are listed as not done

// The folder of a sweep, which is not made.
SweepFolder open_sweep(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) throw_input_error("{}: there is no such folder", folder.string());
  if (std::filesystem::exists(folder / "config.toml"))
    throw_input_error("{}: it holds a single run; a report is about a sweep. For a run: cambium inspect {}",
                      folder.string(), folder.string());
  if (!std::filesystem::exists(folder / "experiments"))
    throw_input_error("{}: there is no sweep in this folder; make one with cambium sweep FILE --out {}",
                      folder.string(), folder.string());
  return SweepFolder(folder);
}

// Of names with numbers in them, 2 before 10.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0, k = 0;
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && k < b.size()) {
    if (digit(a[i]) && digit(b[k])) {
      std::size_t i_end = i, k_end = k;
      while (i_end < a.size() && digit(a[i_end])) ++i_end;
      while (k_end < b.size() && digit(b[k_end])) ++k_end;
      const auto first = a.substr(i, i_end - i), second = b.substr(k, k_end - k);
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
      i = i_end, k = k_end;
    } else if (a[i] != b[k]) {
      return a[i] < b[k];
    } else {
      ++i, ++k;
    }
  }
  return a.size() - i < b.size() - k;
}

// Full and quick ones of a name may lie in one folder.
std::string name_at_scale(const Experiment& experiment) {
  return experiment.scale == Scale::full ? experiment.name : experiment.name + "-" + name_of(experiment.scale);
}

struct ShownExperiment {
  const Experiment* experiment = nullptr;
  std::vector<ShownCell> cells;  // done, to be compared
  std::size_t done = 0;          // also those that select a value
  std::vector<std::string> failed, unfinished;
  std::size_t open = 0;               // wait for a value to be selected
  std::optional<std::size_t> figure;  // its place among the figures
};

class Report {
 public:
  Report(const SweepFolder& folder, const ReportOptions& options)
      : folder_(folder),
        options_(options),
        file_(options.out.empty() ? folder.path() / "report" / "index.html" : options.out),
        experiments_(folder.experiments()) {
    if (experiments_.empty())
      throw_input_error("{}: there is no experiment in it yet; cambium sweep FILE --out {}", folder.path().string(),
                        folder.path().string());
    if (std::filesystem::is_directory(file_))
      throw_input_error("{}: it is a folder; name a file in it", file_.string());
    std::stable_sort(experiments_.begin(), experiments_.end(),
                     [](const auto& a, const auto& b) { return natural_less(name_at_scale(a), name_at_scale(b)); });
    collected_ = collect(experiments_, folder);
    std::map<std::string, const CellResult*> results;
    for (const auto& cell : collected_) results[cell.name] = &cell.result;
    for (const auto& experiment : experiments_) shown_.push_back(look_at(experiment, results));
  }

  std::filesystem::path write() {
    std::error_code error;
    const auto beside = std::filesystem::absolute(file_).parent_path();
    std::filesystem::create_directories(beside, error);
    if (error) throw_input_error("{}: cannot be made a folder: {}", beside.string(), error.message());
    to_sweep_ = std::filesystem::absolute(folder_.path())
                    .lexically_normal()
                    .lexically_relative(beside.lexically_normal())
                    .string() +
                "/";

    std::vector<Figure> figures;
    for (auto& shown : shown_) {
      auto figure = make_figure(*shown.experiment, name_at_scale(*shown.experiment), shown.cells);
      if (figure.empty()) continue;
      shown.figure = figures.size();
      figures.push_back(std::move(figure));
    }
    const auto runs = runs_to_tell(all_cells(), options_.history);
    if (auto figure = history_figure(runs); !figure.empty()) figures.push_back(std::move(figure));
    drawn_ = draw(figures, beside / "figures");
    for (const auto& figure : figures) figure_names_.push_back(figure.name);

    std::string body = heading();
    for (const auto& shown : shown_) body += section(shown);
    body += histories(runs);
    body += files();
    DurableFile::write(file_, page(title(), body));
    return file_;
  }

 private:
  ShownExperiment look_at(const Experiment& experiment, const std::map<std::string, const CellResult*>& results) const {
    ShownExperiment shown{.experiment = &experiment};
    for (const std::size_t place : experiment.compared())
      if (const auto& cell = experiment.cells[place]; results.contains(cell.name))
        shown.cells.push_back({&cell, results.at(cell.name), folder_.cell(cell.name), to_json(cell.config)});
    for (const auto& cell : experiment.cells) {
      if (cell.open())
        ++shown.open;
      else if (results.contains(cell.name))
        ++shown.done;
      else if (folder_.failure(cell.name))
        shown.failed.push_back(cell.name);
      else
        shown.unfinished.push_back(cell.name);
    }
    return shown;
  }

  // Each cell once.
  std::vector<ShownCell> all_cells() const {
    std::vector<ShownCell> cells;
    std::set<std::string> names;
    for (const auto& shown : shown_)
      for (const auto& cell : shown.cells)
        if (names.insert(cell.cell->name).second) cells.push_back(cell);
    return cells;
  }

  std::string title() const {
    return shown_.size() == 1
               ? title_of(*shown_.front().experiment)
               : fmt::format("Results in {}",
                             std::filesystem::absolute(folder_.path()).lexically_normal().filename().string());
  }

  static std::string anchor(const Experiment& experiment) { return "experiment-" + address(name_at_scale(experiment)); }

  std::string heading() const {
    std::string html = fmt::format("<header>\n<h1>{}</h1>\n", escaped(title()));
    std::set<std::string> all, failed;
    for (const auto& shown : shown_) {
      for (const auto& cell : shown.experiment->cells)
        if (!cell.open()) all.insert(cell.name);
      failed.insert(shown.failed.begin(), shown.failed.end());
    }
    html += fmt::format("<p class=\"lead\">{} of {} cells done{}.</p>\n", collected_.size(), all.size(),
                        failed.empty() ? "" : fmt::format(", <span class=\"wrong\">{} failed</span>", failed.size()));
    if (collected_.empty())
      html += "<p>Nothing has come out yet. The commands at the end of this page run what is missing.</p>\n";
    html += devices();
    html += "</header>\n";
    if (shown_.size() > 1) {
      html += "<nav aria-label=\"Experiments\"><ul>\n";
      for (const auto& shown : shown_)
        html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(anchor(*shown.experiment)),
                            escaped(title_of(*shown.experiment)));
      html += "</ul></nav>\n";
    }
    return html;
  }

  static std::string title_of(const Experiment& experiment) {
    return experiment.scale == Scale::full ? experiment.title : experiment.title + " (quick)";
  }

  std::string devices() const {
    std::vector<std::filesystem::path> folders;
    for (const auto& cell : collected_) folders.push_back(folder_.cell(cell.name));
    const auto uses = devices_used(folders);
    if (uses.empty()) return {};
    std::string html =
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">device</th><th scope=\"col\">driver</th><th "
        "scope=\"col\">Cambium</th><th scope=\"col\" class=\"number\">cells</th><th scope=\"col\" "
        "class=\"number\">time</th><th scope=\"col\">from</th><th scope=\"col\">to</th></tr></thead>\n<tbody>\n";
    for (const auto& use : uses)
      html += fmt::format(
          "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td class=\"number\">{}</td><td "
          "class=\"number\">{}</td><td>{}</td><td>{}</td></tr>\n",
          escaped(use.device), escaped(use.driver), escaped(use.cambium), use.cells,
          escaped(duration_text(use.seconds)), escaped(moment(use.first)), escaped(moment(use.last)));
    return html + "</tbody></table></div>\n";
  }

  // 2026-01-02T03:04:05Z, for people.
  static std::string moment(std::string text) {
    if (text.size() != 20 || text[10] != 'T') return text;
    text[10] = ' ';
    return text.substr(0, 16) + " UTC";
  }

  std::string section(const ShownExperiment& shown) const {
    const auto& experiment = *shown.experiment;
    auto html = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", escaped(anchor(experiment)),
                            shown_.size() == 1 ? "Results" : escaped(title_of(experiment)));
    html += fmt::format("<p class=\"note\"><code>{}</code>, scale {}: {} of {} cells done</p>\n",
                        escaped(experiment.name), name_of(experiment.scale), shown.done, experiment.cells.size());
    html += troubles(shown);
    if (shown.figure) html += figure(*shown.figure);
    for (const auto& more : options_.sections) html += more(experiment, shown.cells);
    if (const auto* base = base_of(experiment))
      html += fmt::format("<p class=\"note\">Its cells are those of <a href=\"#{}\">{}</a>.</p>\n",
                          escaped(anchor(*base)), escaped(title_of(*base)));
    else
      html += cell_table(experiment, shown.cells, to_sweep_ + "cells/");
    return html + "</section>\n";
  }

  // The experiment here whose cells this one shows.
  const Experiment* base_of(const Experiment& experiment) const {
    for (const auto& other : experiments_)
      if (!experiment.like.empty() && other.name == experiment.like && other.scale == experiment.scale) return &other;
    return nullptr;
  }

  std::string troubles(const ShownExperiment& shown) const {
    std::string html;
    if (!shown.failed.empty()) {
      html += fmt::format("<p class=\"wrong\">{} failed:</p>\n", counted(shown.failed.size()));
      for (std::size_t i = 0; i < shown.failed.size() && i < most_names; ++i)
        html += fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", escaped(shown.failed[i]),
                            escaped(folder_.failure(shown.failed[i]).value_or(Failure{}).log_tail));
      if (shown.failed.size() > most_names)
        html += fmt::format("<p>and {} more.</p>\n", shown.failed.size() - most_names);
    }
    if (!shown.unfinished.empty()) {
      html += fmt::format("<details><summary>{} not done yet</summary><p class=\"note\">",
                          counted(shown.unfinished.size()));
      for (std::size_t i = 0; i < shown.unfinished.size() && i < most_names; ++i)
        html += (i == 0 ? "" : ", ") + escaped(shown.unfinished[i]);
      if (shown.unfinished.size() > most_names)
        html += fmt::format(" and {} more", shown.unfinished.size() - most_names);
      html += "</p></details>\n";
    }
    if (shown.open > 0)
      html += fmt::format("<p class=\"note\">{} until {} is selected.</p>\n", waiting(shown.open),
                          escaped(shown.experiment->selected_key));
    return html;
  }
  static std::string counted(std::size_t cells) { return fmt::format("{} cell{}", cells, cells == 1 ? "" : "s"); }
  static std::string waiting(std::size_t cells) { return counted(cells) + (cells == 1 ? " waits" : " wait"); }

  std::string figure(std::size_t place) const {
    const auto& drawn = drawn_[place];
    const auto link = [&](const char* kind, const char* words) {
      return fmt::format("<a href=\"{}\">{}</a>",
                         escaped(address(fmt::format("figures/{}.{}", figure_names_[place], kind))), words);
    };
    auto svg = drawn.svg;
    svg.insert(4, fmt::format(" style=\"max-width:{}px;min-width:{}px\"", drawn.width, drawn.width * 7 / 10));
    return fmt::format(
        "<figure>\n<div class=\"wide\">{}</div>\n<figcaption>{}{} · {} · {} · {}</figcaption>\n</figure>\n", svg,
        drawn.points_left_out > 0
            ? fmt::format("The {} values of single seeds are not drawn; they are in seeds.csv. ", drawn.points_left_out)
            : "",
        link("svg", "SVG"), link("csv", "data (CSV)"), link("gp", "gnuplot script"), link("dat", "its data"));
  }

  std::string histories(const std::vector<ShownCell>& runs) const {
    if (runs.empty() || figure_names_.empty() || figure_names_.back() != "structural-history") return {};
    std::string html = "<section id=\"history\">\n<h2>Structural history</h2>\n<p class=\"note\">";
    html += options_.history.empty() ? "The first run of every variant; <code>--history CELL</code> chooses others."
                                     : "Of the runs that were asked for.";
    html += "</p>\n" + figure(drawn_.size() - 1);
    for (const auto& run : runs)
      if (const auto table = edit_table(run); !table.empty())
        html += fmt::format(
            "<details><summary>{}: edit by edit</summary>\n<p class=\"note\">{}; means over {} "
            "seeds</p>\n{}</details>\n",
            escaped(run_label(run)), escaped(run.cell->name), run.result->seeds.size(), table);
    return html + "</section>\n";
  }

  std::string files() const {
    std::string html = "<section id=\"files\">\n<h2>Files, and how to run it again</h2>\n<ul>\n";
    for (const auto& [name, words] :
         {std::pair("cells.jsonl", "a line per cell: configuration, and mean, deviation and interval of every measure"),
          std::pair("seeds.csv", "a row per cell and seed, a column per measure")})
      if (std::filesystem::exists(folder_.path() / name))
        html += fmt::format("<li><a href=\"{}\">{}</a>: {}</li>\n", escaped(address(to_sweep_ + name)), name, words);
    html += fmt::format("<li><a href=\"{}\">cells/</a>: every run in full</li>\n</ul>\n",
                        escaped(address(to_sweep_ + "cells/")));
    std::string commands;
    for (const auto& shown : shown_)
      if (base_of(*shown.experiment) == nullptr)
        commands += fmt::format("cambium sweep {} --scale {} --out {}\n",
                                shell_word((folder_.path() / "experiments" / name_of(shown.experiment->scale) /
                                            (shown.experiment->name + ".toml"))
                                               .string()),
                                name_of(shown.experiment->scale), shell_word(folder_.path().string()));
    commands += fmt::format("cambium report {}\n", shell_word(folder_.path().string()));
    return html + fmt::format(
                      "<p>Runs what is not done, here; with another <code>--out</code>, all of it again:</p>\n"
                      "<pre>{}</pre>\n</section>\n",
                      escaped(commands));
  }

  const SweepFolder& folder_;
  const ReportOptions& options_;
  std::filesystem::path file_;
  std::vector<Experiment> experiments_;
  std::vector<CollectedCell> collected_;
  std::vector<ShownExperiment> shown_;
  std::vector<DrawnFigure> drawn_;
  std::vector<std::string> figure_names_;
  std::string to_sweep_;
};

}  // namespace

std::filesystem::path write_report(const std::filesystem::path& folder, const ReportOptions& options) {
  const auto sweep = open_sweep(folder);
  return Report(sweep, options).write();
}

}  // namespace cambium
