// cambium inspect: what is inside a checkpoint, a trace, or the folder of a run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "cli/commands.hpp"
#include "lab/safetensors.hpp"

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

// The checkpoint of a run's folder, or the file itself.
std::filesystem::path checkpoint_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return path;
  if (!std::filesystem::exists(path / "config.toml"))
    throw_input_error("{}: there is no run in this folder (no config.toml)", path.string());
  if (!std::filesystem::exists(path / "checkpoint.safetensors"))
    throw_input_error("{}: this run has no checkpoint yet", path.string());
  return path / "checkpoint.safetensors";
}

}  // namespace

void add_inspect(CLI::App& app) {
  struct Flags {
    std::string path;
    bool json = false;
  };
  auto* command = app.add_subcommand("inspect", "Show what is inside a checkpoint, a trace, or the folder of a run");
  auto flags = std::make_shared<Flags>();
  command->add_option("path", flags->path, "A .safetensors file, or the folder of a run")->required();
  command->add_flag("--json", flags->json, "As JSON");
  command->callback([flags] {
    const std::filesystem::path path = flags->path;
    const auto file = TensorFile::read(checkpoint_of(path));
    if (flags->json) return fmt::print("{}\n", to_json(file).dump(2));
    if (std::filesystem::is_directory(path))
      fmt::print("{:<16} {}\n", "run", std::filesystem::exists(path / "result.json") ? "done" : "not done");
    print(file);
  });
}

}  // namespace cambium::cli
