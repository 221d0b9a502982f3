// cambium inspect: shows the progress and the edits of a run, or the tensors of a checkpoint or a trace.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/run_summary.hpp"
#include "lab/results/safetensors.hpp"

namespace cambium::cli {
namespace {

struct TensorStatistics {
  double lowest = INFINITY, highest = -INFINITY, mean = 0;
  std::size_t not_finite = 0;
};

template <class T>
TensorStatistics statistics_of(const Tensor& tensor) {
  TensorStatistics statistics;
  std::vector<T> values(static_cast<std::size_t>(tensor.count()));
  std::copy(tensor.bytes.begin(), tensor.bytes.end(), std::as_writable_bytes(std::span(values)).begin());
  double sum = 0;
  for (const T value : values) {
    const auto number = static_cast<double>(value);
    if (!std::isfinite(number)) {
      ++statistics.not_finite;
      continue;
    }
    statistics.lowest = std::min(statistics.lowest, number);
    statistics.highest = std::max(statistics.highest, number);
    sum += number;
  }
  statistics.mean = sum / std::max<double>(1.0, static_cast<double>(values.size() - statistics.not_finite));
  return statistics;
}

TensorStatistics statistics_of(const Tensor& tensor) {
  switch (tensor.type) {
    case TensorType::f64:
      return statistics_of<double>(tensor);
    case TensorType::i32:
      return statistics_of<std::int32_t>(tensor);
    case TensorType::i64:
      return statistics_of<std::int64_t>(tensor);
    case TensorType::u8:
      return statistics_of<std::uint8_t>(tensor);
    case TensorType::u32:
      return statistics_of<std::uint32_t>(tensor);
    case TensorType::u64:
      return statistics_of<std::uint64_t>(tensor);
    default:
      return statistics_of<float>(tensor);
  }
}

// Active units per network of a mask (R, units).
std::vector<std::int64_t> active_units(const Tensor& mask) {
  std::vector<std::int64_t> counts;
  const auto width = static_cast<std::size_t>(mask.shape.at(1));
  for (std::size_t begin = 0; width > 0 && begin < mask.bytes.size(); begin += width)
    counts.push_back(std::count(mask.bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                                mask.bytes.begin() + static_cast<std::ptrdiff_t>(begin + width), std::byte{1}));
  return counts;
}

bool is_mask(const std::string& name, const Tensor& tensor) {
  return name.starts_with("mask.") && tensor.type == TensorType::u8 && tensor.shape.size() == 2;
}

nlohmann::ordered_json to_json(const TensorFile& file) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::object();
  for (const auto& [name, tensor] : file.tensors) {
    const auto statistics = statistics_of(tensor);
    nlohmann::ordered_json entry{{"type", name_of(tensor.type)}, {"shape", tensor.shape}};
    if (is_mask(name, tensor)) entry["active_units"] = active_units(tensor);
    if (tensor.count() > 0 && std::isfinite(statistics.lowest))
      entry.update({{"lowest", statistics.lowest}, {"highest", statistics.highest}, {"mean", statistics.mean}});
    entry["not_finite"] = statistics.not_finite;
    tensors[name] = std::move(entry);
  }
  return {{"metadata", file.metadata}, {"tensors", tensors}};
}

void print(const TensorFile& file) {
  for (const auto& [key, value] : file.metadata) fmt::print("{:<16} {}\n", key, value);
  if (!file.metadata.empty()) fmt::print("\n");
  fmt::print("{:<34} {:<5} {:<22} {:>12} {:>12} {:>12}\n", "tensor", "type", "shape", "lowest", "highest", "mean");
  for (const auto& [name, tensor] : file.tensors) {
    const auto shape = fmt::format("({})", fmt::join(tensor.shape, ", "));
    fmt::print("{:<34} {:<5} {:<22}", name, name_of(tensor.type), shape);
    const auto statistics = statistics_of(tensor);
    if (is_mask(name, tensor))
      fmt::print("  {} active", fmt::join(active_units(tensor), ", "));
    else if (tensor.count() > 0 && std::isfinite(statistics.lowest))
      fmt::print(" {:>12.6g} {:>12.6g} {:>12.6g}", statistics.lowest, statistics.highest, statistics.mean);
    if (statistics.not_finite > 0) fmt::print("  {} values are not finite", statistics.not_finite);
    fmt::print("\n");
  }
}

struct Flags {
  std::string path;
  bool json = false, tensors = false;
  SummaryOptions summary;
};

void inspect_folder(const Flags& flags) {
  const auto run = read_run(flags.path);
  if (flags.tensors && !run.checkpoint) throw_input_error("{}: --tensors: this run has no checkpoint yet", flags.path);
  if (flags.json) {
    auto json = summary_json(run, flags.summary);
    if (flags.tensors) json["checkpoint"] = to_json(*run.checkpoint);
    return fmt::print("{}\n", json.dump(2));
  }
  fmt::print("{}", summary_text(run, flags.summary));
  if (!flags.tensors) return;
  fmt::print("\n");
  print(*run.checkpoint);
}

void inspect_file(const Flags& flags) {
  if (flags.summary.seed || !flags.summary.unit.empty())
    throw_input_error("{}: --seed and --unit need the folder of a run, not a file", flags.path);
  const auto file = TensorFile::read(flags.path);
  if (flags.json) return fmt::print("{}\n", to_json(file).dump(2));
  print(file);
}

}  // namespace

void add_inspect(Command& root) {
  auto& command = root.add_command(
      "inspect", "Show the progress and the edits of a run, or the tensors of a checkpoint or a trace");
  auto flags = std::make_shared<Flags>();
  command.add_option("PATH", flags->path, "Folder of a run, or a .safetensors file", {.required = true});
  command.add_option("--seed", flags->summary.seed, "Seed whose units are listed. Default: the first; with --json all");
  command.add_option("--unit", flags->summary.unit, "Show the history of one unit, such as fc1:59, in every seed",
                     {.value = "LAYER:N"});
  command.add_flag("--tensors", flags->tensors, "Also show the tensors of the run's checkpoint");
  command.add_flag("--json", flags->json, "Print JSON");
  command.set_action([flags] {
    flags->summary.columns = terminal_width(STDOUT_FILENO, 100);
    std::filesystem::is_directory(flags->path) ? inspect_folder(*flags) : inspect_file(*flags);
    return exit_done;
  });
}

}  // namespace cambium::cli
