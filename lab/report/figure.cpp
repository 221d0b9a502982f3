#include "lab/report/figure.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "base/text_file.hpp"
#include "lab/report/svg.hpp"

namespace cambium {
namespace {

void run_gnuplot(const std::filesystem::path& folder, const std::vector<std::string>& scripts) {
  std::vector<std::string> words{"gnuplot"};
  for (const auto& script : scripts) words.push_back("./" + script);
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const auto errors = folder / "gnuplot.log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t process = 0;
  const int error = posix_spawnp(&process, "gnuplot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT)
    throw_input_error("there is no gnuplot on the PATH, which draws the figures; install it (Debian: gnuplot-nox)");
  if (error != 0) throw_device_error("gnuplot cannot be started: {}", std::strerror(error));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw_device_error("gnuplot failed in {}: {}", folder.string(), read_text_file(errors));
  std::filesystem::remove(errors);
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
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw_input_error("{}: the folder cannot be created: {}", folder.string(), error.message());
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
