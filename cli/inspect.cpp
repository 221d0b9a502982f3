// cambium inspect: what happened in a run, and what is inside a checkpoint or a trace.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "base/terminal.hpp"
#include "cli/commands.hpp"
#include "cli/run_account.hpp"
#include "lab/results/safetensors.hpp"

namespace cambium::cli {
namespace {

struct Summary {
  double lowest = INFINITY, highest = -INFINITY, mean = 0;
  std::size_t not_finite = 0;
};

template <class T>
Summary summarise(const Tensor& tensor) {
  Summary summary;
  std::vector<T> values(static_cast<std::size_t>(tensor.count()));
  std::copy(tensor.bytes.begin(), tensor.bytes.end(), std::as_writable_bytes(std::span(values)).begin());
  double sum = 0;
  for (const T value : values) {
    const auto number = static_cast<double>(value);
    if (!std::isfinite(number)) {
      ++summary.not_finite;
      continue;
    }
    summary.lowest = std::min(summary.lowest, number);
    summary.highest = std::max(summary.highest, number);
    sum += number;
  }
  summary.mean = sum / std::max<double>(1.0, static_cast<double>(values.size() - summary.not_finite));
  return summary;
}

Summary summarise(const Tensor& tensor) {
  switch (tensor.type) {
    case TensorType::f64:
      return summarise<double>(tensor);
    case TensorType::i32:
      return summarise<std::int32_t>(tensor);
    case TensorType::i64:
      return summarise<std::int64_t>(tensor);
    case TensorType::u8:
      return summarise<std::uint8_t>(tensor);
    case TensorType::u32:
      return summarise<std::uint32_t>(tensor);
    case TensorType::u64:
      return summarise<std::uint64_t>(tensor);
    default:
      return summarise<float>(tensor);
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
    const auto summary = summarise(tensor);
    nlohmann::ordered_json entry{{"type", name_of(tensor.type)}, {"shape", tensor.shape}};
    if (is_mask(name, tensor)) entry["active_units"] = active_units(tensor);
    if (tensor.count() > 0 && std::isfinite(summary.lowest))
      entry.update({{"lowest", summary.lowest}, {"highest", summary.highest}, {"mean", summary.mean}});
    entry["not_finite"] = summary.not_finite;
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
    const auto summary = summarise(tensor);
    if (is_mask(name, tensor))
      fmt::print("  {} active", fmt::join(active_units(tensor), ", "));
    else if (tensor.count() > 0 && std::isfinite(summary.lowest))
      fmt::print(" {:>12.6g} {:>12.6g} {:>12.6g}", summary.lowest, summary.highest, summary.mean);
    if (summary.not_finite > 0) fmt::print("  {} values are not finite", summary.not_finite);
    fmt::print("\n");
  }
}

struct Flags {
  std::string path;
  bool json = false, tensors = false;
  AccountOptions account;
};

void inspect_folder(const Flags& flags) {
  const auto run = read_run(flags.path);
  if (flags.tensors && !run.checkpoint) throw_input_error("{}: this run has no checkpoint yet", flags.path);
  if (flags.json) {
    auto json = account_json(run, flags.account);
    if (flags.tensors) json["checkpoint"] = to_json(*run.checkpoint);
    return fmt::print("{}\n", json.dump(2));
  }
  fmt::print("{}", account_text(run, flags.account));
  if (!flags.tensors) return;
  fmt::print("\n");
  print(*run.checkpoint);
}

void inspect_file(const Flags& flags) {
  if (flags.account.seed || !flags.account.unit.empty())
    throw_input_error("{}: it is a file; --seed and --unit ask for the history in the folder of a run", flags.path);
  const auto file = TensorFile::read(flags.path);
  if (flags.json) return fmt::print("{}\n", to_json(file).dump(2));
  print(file);
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto* command = app.add_subcommand(
      "inspect",
      "Tell where a run stands and which units it grew or pruned; show what is inside a checkpoint or a trace");
  auto flags = std::make_shared<Flags>();
  command->add_option("path", flags->path, "The folder of a run, or a .safetensors file")->required();
  command
      ->add_option("--seed", flags->account.seed, "The seed whose units are told. Default: the first; with --json all")
      ->type_name("N");
  command->add_option("--unit", flags->account.unit, "Tell the life of one unit in every seed, such as fc1:59")
      ->type_name("LAYER:N");
  command->add_flag("--tensors", flags->tensors, "Also show the tensors of a run's checkpoint");
  command->add_flag("--json", flags->json, "As JSON");
  command->callback([flags] {
    flags->account.columns = terminal_width(STDOUT_FILENO, 100);
    if (std::filesystem::is_directory(flags->path)) return inspect_folder(*flags);
    inspect_file(*flags);
  });
}

}  // namespace cambium::cli
