// cambium tune: measures which tiles of the portable kernels are fastest on a device, and remembers them.

#include <fmt/format.h>

#include "bench/bench.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"
#include "sycl/tuning.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  DeviceOptions device;
  bench::Options bench{.batches = {16, 64, 256}, .effort = {.samples = 5}};
  std::string json;
  bool quick = false, dry_run = false, forget = false;
};

void forget(const DeviceInfo& device) {
  std::error_code error;
  const bool removed = std::filesystem::remove(Tuning::file(device), error);
  if (error) throw_input_error("{} cannot be removed: {}", Tuning::file(device).string(), error.message());
  fmt::print("{}: {}\n", device.name,
             removed ? "the tuning was removed; default tiles are used" : "no tuning to remove");
}

void tune(const Flags& flags) {
  const auto info = find_device(flags.device.device);
  if (flags.forget) return forget(info);
  if (!flags.dry_run && Tuning::file(info).empty())
    throw_input_error("no cache folder is known; set CAMBIUM_CACHE_DIR to a folder for the tuning, or use --dry-run");
  OutputFile json(flags.json);
  Device device(info, flags.device);
  const auto gemm = device.gemm().name(), convolution = device.convolution().name();
  const auto figures = bench::tune(device, flags.bench);
  json.write(nlohmann::json{{"benchmark", "tune"}, {"device", to_json(device.info())}, {"figures", figures}}.dump(2) +
             "\n");
  if (flags.dry_run) return fmt::print("Nothing was stored (--dry-run).\n");
  device.tuning().store(info);
  fmt::print("Stored in {}: every command uses it on this device, with the same results to the bit.\n",
             Tuning::file(info).string());
  if (gemm != "portable")
    fmt::print(
        "Training on this device uses the backends {} and {} by default, which have no tiles to choose. The "
        "tuning\napplies with --gemm-backend portable and --convolution-backend portable.\n",
        gemm, convolution);
}

}  // namespace

void add_tune(CLI::App& app) {
  auto* command = app.add_subcommand(
      "tune", "Measure which tiles of the portable kernels are fastest on a device, and remember them for this driver");
  auto flags = std::make_shared<Flags>();
  add_device_flags(*command, flags->device);
  command->add_option("--batch", flags->bench.batches, "Batch sizes to measure")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--replicas", flags->bench.replicas, "Networks side by side to measure")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--samples", flags->bench.effort.samples, "Samples per tile; their median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--quick", flags->quick, "Batch 64 and one replica only, with short samples");
  command->add_flag("--dry-run", flags->dry_run, "Measure and print, but store nothing");
  command->add_flag("--forget", flags->forget, "Remove the device's tuning instead: back to default tiles");
  command->add_option("--json", flags->json, "Also write the figures to this file");
  command->callback([flags, command] {
    if (flags->quick) {
      if (command->count("--batch") == 0) flags->bench.batches = {64};
      if (command->count("--replicas") == 0) flags->bench.replicas = {1};
      if (command->count("--samples") == 0) flags->bench.effort = {.samples = 3, .seconds_per_sample = 0.001};
    }
    tune(*flags);
  });
}

}  // namespace cambium::cli
