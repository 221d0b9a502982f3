// cambium tune: finds the fastest tiles of the portable kernels on a device, and stores them.

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "bench/bench.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/device_json.hpp"
#include "cli/output_file.hpp"
#include "cli/shared_flags.hpp"
#include "sycl/convolution.hpp"
#include "sycl/device.hpp"
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
  if (error) throw_file_error(Tuning::file(device), "removed", error.value());
  fmt::print("{}: {}\n", device.name, removed ? "tuning removed; the default tiles are used" : "no tuning stored");
}

void tune(const Flags& flags) {
  const auto info = find_device(flags.device.device);
  if (flags.forget) return forget(info);
  if (!flags.dry_run && Tuning::file(info).empty())
    throw_input_error("no cache folder for the tuning; set CAMBIUM_CACHE_DIR to a folder, or give --dry-run");
  OutputFile json(flags.json);
  Device device(info, flags.device);
  const auto gemm = device.gemm().name(), convolution = device.convolution().name();
  const auto figures = bench::tune(device, flags.bench);
  json.write(nlohmann::json{{"benchmark", "tune"}, {"device", to_json(device.info())}, {"figures", figures}}.dump(2) +
             "\n");
  if (flags.dry_run) return fmt::print("Nothing was stored (--dry-run).\n");
  device.tuning().store(info);
  fmt::print("Stored in {}. Every command on this device uses these tiles; results stay bitwise the same.\n",
             Tuning::file(info).string());
  if (gemm != "portable")
    fmt::print(
        "By default, training on this device uses the backends {} and {}, which have no tiles. The tuning\napplies "
        "with --gemm-backend portable and --convolution-backend portable.\n",
        gemm, convolution);
}

}  // namespace

void add_tune(Command& root) {
  auto& command =
      root.add_command("tune", "Find the fastest tiles of the portable kernels on a device, and store them");
  auto flags = std::make_shared<Flags>();
  auto& options = flags->bench;
  add_device_flags(command, flags->device);
  command.add_option("--batch", options.batches, "Batch sizes to measure",
                     {.value = "N[,N...]", .range = {{1, 1'000'000}}, .list = ListForm::commas, .show_default = true});
  command.add_option("--replicas", options.replicas, "Networks side by side to measure",
                     {.value = "N[,N...]", .range = {{1, 1'000'000}}, .list = ListForm::commas, .show_default = true});
  command.add_option("--samples", options.effort.samples, "Samples per tile; the median counts",
                     {.range = {{1, 1000}}, .show_default = true});
  command.add_flag("--quick", flags->quick, "Measure batch 64 and one replica only, with short samples");
  command.add_flag("--dry-run", flags->dry_run, "Measure and print, but store nothing");
  command.add_flag("--forget", flags->forget, "Remove the stored tuning of the device; measure nothing");
  command.add_option("--json", flags->json, "Also write the figures to this file", {.value = "FILE"});
  command.set_action([flags, &command] {
    if (flags->quick) {
      // Options on the command line override --quick.
      if (!command.given("--batch")) flags->bench.batches = {64};
      if (!command.given("--replicas")) flags->bench.replicas = {1};
      if (!command.given("--samples")) flags->bench.effort = {.samples = 3, .seconds_per_sample = 0.001};
    }
    tune(*flags);
    return exit_done;
  });
}

}  // namespace cambium::cli
