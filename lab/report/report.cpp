#include "lab/report/report.hpp"

#include "lab/durable_file.hpp"
#include "lab/report/figure.hpp"
#include "lab/sweep/collection.hpp"
#include "sycl/error.hpp"

namespace cambium {
namespace {

std::string figure_name(const Experiment& experiment) {
  return experiment.scale == Scale::full ? experiment.name : experiment.name + "-" + name_of(experiment.scale);
}

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

}  // namespace

std::filesystem::path write_report(const std::filesystem::path& path, const ReportOptions& options) {
  const auto folder = open_sweep(path);
  const auto page = options.out.empty() ? path / "report" / "index.html" : options.out;
  const auto experiments = folder.experiments();
  const auto collected = collect(experiments, folder);
  std::map<std::string, const CellResult*> results;
  for (const auto& cell : collected) results[cell.name] = &cell.result;

  std::vector<Figure> figures;
  for (const auto& experiment : experiments) {
    std::vector<ShownCell> cells;
    for (const std::size_t place : experiment.compared())
      if (const auto& cell = experiment.cells[place]; results.contains(cell.name))
        cells.push_back({&cell, results.at(cell.name), folder.cell(cell.name), to_json(cell.config)});
    auto figure = make_figure(experiment, figure_name(experiment), cells);
    if (!figure.empty()) figures.push_back(std::move(figure));
  }
  draw(figures, page.parent_path() / "figures");
  return page;
}

}  // namespace cambium
