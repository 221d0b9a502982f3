// cambium plan: shows the cells of an experiment, with their cost on this device and their state.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/duration.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/experiment_flags.hpp"
#include "cli/shared_flags.hpp"
#include "lab/experiment/sweep_folder.hpp"
#include "lab/sweep/cost.hpp"
#include "sycl/device.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  ExperimentFlags experiment;
  DeviceOptions device;
  bool json = false, no_timing = false;
};

std::string state_of(const Cell& cell, const std::optional<SweepFolder>& folder) {
  if (cell.open()) return "open";
  if (!folder) return "to do";
  if (folder->done(cell.name)) return "done";
  if (folder->locked(cell.name)) return "running";
  if (folder->failure(cell.name)) return "failed";
  return std::filesystem::exists(folder->cell(cell.name) / "config.toml") ? "begun" : "to do";
}

std::string name_in_plan(const Experiment& experiment, const Cell& cell) {
  if (!cell.open()) return cell.name;
  auto name = cell_name(cell.config);
  return fmt::format("{}, {} selected", name.substr(0, name.rfind('-')), experiment.selected_key);
}

void plan(const Flags& flags) {
  auto experiment = flags.experiment.read();
  std::optional<SweepFolder> folder;
  // The folder is read if it exists, but not made.
  if (const auto path = flags.experiment.folder(experiment); std::filesystem::exists(path)) {
    folder.emplace(path);
    decide_cells(experiment, *folder);
  }
  std::optional<Device> device;
  std::optional<CostModel> costs;
  if (!flags.no_timing) {
    device.emplace(flags.device);
    costs.emplace(*device);
  }
  double total = 0, left = 0;
  std::size_t done = 0;
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  if (!flags.json)
    fmt::print("{}\n\n{:>5}  {:<52}{:>6}{:>12}{:>10}  state\n", experiment.title, "", "cell", "seeds", "steps", "time");
  for (std::size_t i = 0; i < experiment.cells.size(); ++i) {
    const Cell& cell = experiment.cells[i];
    const auto state = state_of(cell, folder);
    const auto work = work_of(cell.config);
    const double seconds = costs ? costs->seconds(cell.config) : 0;
    total += seconds;
    if (state == "done")
      ++done;
    else
      left += seconds;
    const auto time = costs ? duration_text(seconds) : "";
    if (flags.json)
      cells.push_back({{"cell", i + 1},
                       {"name", cell.name},
                       {"state", state},
                       {"steps", work.steps},
                       {"seconds", costs ? nlohmann::ordered_json(seconds) : nlohmann::ordered_json()},
                       {"config", to_json(cell.config)}});
    else
      fmt::print("{:>5}  {:<52}{:>6}{:>12.0f}{:>10}  {}\n", i + 1, name_in_plan(experiment, cell),
                 cell.config.seeds.size(), work.steps, time, state);
  }
  if (flags.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"experiment", experiment.name},
                                              {"title", experiment.title},
                                              {"scale", name_of(experiment.scale)},
                                              {"cells", cells}}
                           .dump(2));
    return;
  }
  fmt::print("\n{} cells, {} done", experiment.cells.size(), done);
  if (costs)
    fmt::print("; about {} in total on {}, {} left", duration_text(total), device->info().name, duration_text(left));
  fmt::print(".\nRun them: cambium sweep {} --scale {}\n", flags.experiment.file, flags.experiment.scale);
}

}  // namespace

void add_plan(Command& root) {
  auto& command = root.add_command("plan", "Show the cells of an experiment with their cost and their state");
  auto flags = std::make_shared<Flags>();
  add_experiment_flags(command, flags->experiment);
  command.add_flag("--no-timing", flags->no_timing, "Do not time the device; show no times");
  command.add_flag("--json", flags->json, "Print JSON");
  add_device_flags(command, flags->device);
  command.set_action([flags] {
    plan(*flags);
    return exit_done;
  });
}

}  // namespace cambium::cli
