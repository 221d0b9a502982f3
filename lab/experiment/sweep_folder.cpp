#include "lab/experiment/sweep_folder.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/text_file.hpp"
#include "lab/results/cell_result.hpp"

namespace cambium {
namespace {

constexpr std::streamoff last_bytes = 2000;
constexpr std::size_t last_lines = 8;

}  // namespace

std::string last_lines_of(const std::filesystem::path& log) {
  std::ifstream stream(log, std::ios::binary | std::ios::ate);
  if (!stream) return {};
  const std::streamoff size = stream.tellg();
  stream.seekg(std::max<std::streamoff>(0, size - last_bytes));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  if (lines.size() > last_lines) lines.erase(lines.begin(), lines.end() - last_lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

SweepFolder::SweepFolder(std::filesystem::path path) : path_(std::move(path)) {
  make_folder(path_);
  if (std::filesystem::exists(path_ / "config.toml"))
    throw_input_error("{}: the folder holds a single run. Choose another folder with --out.", path_.string());
  // The order of the two checks matters: another process may be creating the folder, and it creates cells/ first.
  if (!std::filesystem::is_empty(path_) && !std::filesystem::exists(path_ / "cells"))
    throw_input_error("{}: the folder holds other files. Choose another folder with --out.", path_.string());
  for (const auto* name : {"cells", "experiments", "logs", "failures", "claims"}) make_folder(path_ / name);
}

void SweepFolder::keep(const Experiment& experiment) const {
  const FileLock guard = lock("experiments");
  const auto folder = path_ / "experiments" / name_of(experiment.scale);
  const auto keep_file = [&](const std::string& name, const std::string& text) {
    const auto file = folder / (name + ".toml");
    if (!std::filesystem::exists(file)) {
      make_folder(folder);
      return DurableFile::write(file, text);
    }
    if (read_text_file(file) != text)
      throw_input_error(
          "{}: the folder holds an older version of experiment {}. Choose another folder with --out, or delete that "
          "file; cells that have not changed are not run again.",
          file.string(), name);
  };
  if (!experiment.like.empty()) keep_file(experiment.like, experiment.like_text);
  keep_file(experiment.name, experiment.text);
}

std::vector<Experiment> SweepFolder::experiments() const {
  std::vector<Experiment> result;
  for (const auto scale : {Scale::full, Scale::quick}) {
    std::vector<std::filesystem::path> files;
    if (const auto folder = path_ / "experiments" / name_of(scale); std::filesystem::exists(folder))
      for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      result.push_back(read_experiment(file, scale));
      decide_cells(result.back(), *this);
    }
  }
  return result;
}

bool SweepFolder::done(const std::string& name) const { return std::filesystem::exists(cell(name) / "result.json"); }

std::optional<Failure> SweepFolder::failure(const std::string& name) const {
  const auto file = failure_file(name);
  if (!std::filesystem::exists(file)) return {};
  try {
    const auto json = nlohmann::json::parse(read_text_file(file));
    return Failure{json.at("exit_code"), json.at("signal"), json.at("log_tail")};
  } catch (const nlohmann::json::exception&) {
    return Failure{};  // A damaged file still means that the run failed.
  }
}

void SweepFolder::record(const std::string& name, const Failure& failure) const {
  const nlohmann::ordered_json json{{"cell", name},
                                    {"exit_code", failure.exit_code},
                                    {"signal", failure.signal},
                                    {"log", log(name).string()},
                                    {"log_tail", failure.log_tail}};
  DurableFile::write(failure_file(name),
                     json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void SweepFolder::forget_failure(const std::string& name) const { std::filesystem::remove(failure_file(name)); }

std::size_t decide_cells(Experiment& experiment, const SweepFolder& folder) {
  std::size_t open = 0;
  for (std::size_t i = 0; i < experiment.cells.size(); ++i) {
    const auto& candidates = experiment.cells[i].candidates;
    if (!experiment.cells[i].open()) continue;
    const auto done = [&](std::size_t candidate) { return folder.done(experiment.cells[candidate].name); };
    if (!std::all_of(candidates.begin(), candidates.end(), done)) {
      ++open;
      continue;
    }
    std::size_t best = candidates.front();
    double highest = -INFINITY;
    for (const std::size_t candidate : candidates) {
      const Cell& cell = experiment.cells[candidate];
      const auto result = read_cell_result(folder.cell(cell.name) / "result.json", cell.config);
      // The mean of a diverged run is NaN, which compares false.
      if (const double mean = result.estimate_of(experiment.selected_by).mean; mean > highest) {
        highest = mean;
        best = candidate;
      }
    }
    experiment.decide(i, best);
  }
  return open;
}

}  // namespace cambium
