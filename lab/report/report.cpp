#include "lab/report/report.hpp"

#include <set>

#include "base/durable_file.hpp"
#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/html.hpp"
#include "base/process.hpp"
#include "lab/experiment/collection.hpp"
#include "lab/report/cell_table.hpp"
#include "lab/report/figure.hpp"
#include "lab/report/page.hpp"
#include "lab/report/sessions.hpp"
#include "lab/report/shown_experiment.hpp"
#include "lab/report/structural_history.hpp"

namespace cambium {
namespace {

constexpr std::size_t most_names = 50;  // listed of the cells that are not done

// Opens the folder of a sweep without creating it.
SweepFolder open_sweep(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) throw_input_error("{}: there is no such folder", folder.string());
  if (std::filesystem::exists(folder / "config.toml"))
    throw_input_error("{}: the folder holds a single run, and reports are about sweeps. Use cambium inspect {}.",
                      folder.string(), folder.string());
  if (!std::filesystem::exists(folder / "experiments"))
    throw_input_error("{}: there is no sweep in this folder. Make one with cambium sweep FILE --out {}.",
                      folder.string(), folder.string());
  return SweepFolder(folder);
}

class Report {
 public:
  Report(const SweepFolder& folder, const ReportOptions& options)
      : folder_(folder),
        options_(options),
        file_(options.out.empty() ? folder.path() / "report" / "index.html" : options.out),
        experiments_(folder.experiments()) {
    if (experiments_.empty())
      throw_input_error("{}: there is no experiment in this folder. Run cambium sweep FILE --out {}.",
                        folder.path().string(), folder.path().string());
    if (std::filesystem::is_directory(file_))
      throw_input_error("{}: this is a folder. Name a file in it.", file_.string());
    sort_by_name(experiments_);
    collected_ = collect(experiments_, folder);
    std::map<std::string, const CellResult*> results;
    for (const auto& cell : collected_) results[cell.name] = &cell.result;
    for (const auto& experiment : experiments_) shown_.push_back(show(experiment, folder, results));
  }

  std::filesystem::path write() {
    const auto beside = std::filesystem::absolute(file_).parent_path();
    make_folder(beside);
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
    const auto runs = select_history_runs(all_cells(), options_.history);
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
  // Every cell once, though several experiments may have it.
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
               ? title_at_scale(*shown_.front().experiment)
               : fmt::format("Results in {}",
                             std::filesystem::absolute(folder_.path()).lexically_normal().filename().string());
  }

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
      html += "<p>There are no results yet. The commands at the end of this page run the missing cells.</p>\n";
    html += devices();
    html += "</header>\n";
    if (shown_.size() > 1) {
      html += "<nav aria-label=\"Experiments\"><ul>\n";
      for (const auto& shown : shown_)
        html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(anchor(*shown.experiment)),
                            escaped(title_at_scale(*shown.experiment)));
      html += "</ul></nav>\n";
    }
    return html;
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
          escaped(duration_text(use.seconds)), escaped(readable_time(use.first)), escaped(readable_time(use.last)));
    return html + "</tbody></table></div>\n";
  }

  // 2026-01-02 03:04 UTC, from 2026-01-02T03:04:05Z.
  static std::string readable_time(std::string text) {
    if (text.size() != 20 || text[10] != 'T') return text;
    text[10] = ' ';
    return text.substr(0, 16) + " UTC";
  }

  std::string section(const ShownExperiment& shown) const {
    const auto& experiment = *shown.experiment;
    auto html = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", escaped(anchor(experiment)),
                            shown_.size() == 1 ? "Results" : escaped(title_at_scale(experiment)));
    html += fmt::format("<p class=\"note\"><code>{}</code>, scale {}: {} of {} cells done</p>\n",
                        escaped(experiment.name), name_of(experiment.scale), shown.done, experiment.cells.size());
    html += problems(shown);
    if (shown.figure) html += figure(*shown.figure);
    for (const auto& more : options_.sections) html += more(experiment, shown.cells);
    if (const auto* other = shared_with(experiment))
      html += fmt::format("<p class=\"note\">It shows the cells of <a href=\"#{}\">{}</a>.</p>\n",
                          escaped(anchor(*other)), escaped(title_at_scale(*other)));
    else
      html += cell_table(experiment, shown.cells, to_sweep_ + "cells/");
    return html + "</section>\n";
  }

  // The experiment in this report whose cells another one shows (`like`); null if there is none.
  const Experiment* shared_with(const Experiment& experiment) const {
    for (const auto& other : experiments_)
      if (!experiment.like.empty() && other.name == experiment.like && other.scale == experiment.scale) return &other;
    return nullptr;
  }

  std::string problems(const ShownExperiment& shown) const {
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
            ? fmt::format("The {} values of single seeds are omitted; they are in seeds.csv. ", drawn.points_left_out)
            : "",
        link("svg", "SVG"), link("csv", "data (CSV)"), link("gp", "gnuplot script"), link("dat", "its data"));
  }

  std::string histories(const std::vector<ShownCell>& runs) const {
    if (runs.empty() || figure_names_.empty() || figure_names_.back() != "structural-history") return {};
    std::string html = "<section id=\"history\">\n<h2>Structural history</h2>\n<p class=\"note\">";
    html += options_.history.empty() ? "The first run of every variant. Choose others with <code>--history CELL</code>."
                                     : "The runs chosen with <code>--history</code>.";
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
    std::string html = "<section id=\"files\">\n<h2>Files and commands</h2>\n<ul>\n";
    for (const auto& [name, words] :
         {std::pair("cells.jsonl",
                    "a line per cell: configuration, and mean, standard deviation and interval of every measure"),
          std::pair("seeds.csv", "a row per cell and seed, a column per measure")})
      if (std::filesystem::exists(folder_.path() / name))
        html += fmt::format("<li><a href=\"{}\">{}</a>: {}</li>\n", escaped(address(to_sweep_ + name)), name, words);
    html += fmt::format("<li><a href=\"{}\">cells/</a>: the run folders of all cells</li>\n</ul>\n",
                        escaped(address(to_sweep_ + "cells/")));
    std::string commands;
    for (const auto& shown : shown_)
      if (shared_with(*shown.experiment) == nullptr)
        commands += fmt::format("cambium sweep {} --scale {} --out {}\n",
                                shell_word((folder_.path() / "experiments" / name_of(shown.experiment->scale) /
                                            (shown.experiment->name + ".toml"))
                                               .string()),
                                name_of(shown.experiment->scale), shell_word(folder_.path().string()));
    commands += fmt::format("cambium report {}\n", shell_word(folder_.path().string()));
    return html + fmt::format(
                      "<p>These commands run the missing cells; with another <code>--out</code> they run all cells "
                      "again:</p>\n"
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
