// cambium bench: measures commands, matrix products, convolutions, training steps and edits on a device.

#include "bench/bench.hpp"

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/device_json.hpp"
#include "cli/output_file.hpp"
#include "cli/shared_flags.hpp"
#include "layers/architecture.hpp"
#include "sycl/device.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  DeviceOptions device;
  bench::Options bench;
  std::string json;
  bool quick = false;
};

void write_figures(OutputFile& file, const std::string& name, const Device& device, const nlohmann::json& figures) {
  file.write(nlohmann::json{{"benchmark", name}, {"device", to_json(device.info())}, {"figures", figures}}.dump(2) +
             "\n");
}

void add_counts(Command& command, const std::string& name, std::vector<int>& counts, const std::string& help) {
  command.add_option(name, counts, help,
                     {.value = "N[,N...]", .range = {{1, 1'000'000}}, .list = ListForm::commas, .show_default = true});
}

void add_samples(Command& command, int& samples, const std::string& help) {
  command.add_option("--samples", samples, help, {.range = {{1, 1000}}, .show_default = true});
}

void add_json(Command& command, std::string& file) {
  command.add_option("--json", file, "Also write the figures to this file", {.value = "FILE"});
}

using Benchmark = nlohmann::json (*)(Device&, const bench::Options&);

// Options of benchmarks over shapes. `shapes`: the benchmark has batches and replicas.
void add_benchmark(Command& parent, const std::string& name, const std::string& description, bool shapes,
                   Benchmark benchmark) {
  auto& command = parent.add_command(name, description);
  auto flags = std::make_shared<Flags>();
  auto& options = flags->bench;
  add_device_flags(command, flags->device);
  command.add_option("--backend", options.backends, "Backends to measure, separated by commas. Default: all that work",
                     {.value = "NAME[,NAME...]", .list = ListForm::commas});
  if (shapes) {
    add_counts(command, "--batch", options.batches, "Batch sizes");
    add_counts(command, "--replicas", options.replicas, "Networks side by side");
    command.add_flag("--shapes", options.every_shape, "Print one line per shape, not only their sum");
  }
  add_samples(command, options.effort.samples, "Samples per figure; the median is shown");
  command.add_flag("--quick", flags->quick, "Measure few shapes with few samples, in at most half a minute");
  add_json(command, flags->json);
  command.set_action([flags, benchmark, name, &command, shapes] {
    if (flags->quick) {
      // Options on the command line override --quick.
      const bench::Options quick{
          .batches = {64}, .replicas = {1}, .effort = {.samples = 3, .seconds_per_sample = 0.002}};
      if (shapes && !command.given("--batch")) flags->bench.batches = quick.batches;
      if (shapes && !command.given("--replicas")) flags->bench.replicas = quick.replicas;
      if (!command.given("--samples")) flags->bench.effort = quick.effort;
    }
    OutputFile json(flags->json);
    Device device(flags->device);
    write_figures(json, name, device, benchmark(device, flags->bench));
    return exit_done;
  });
}

// Options of the benchmarks of training.
template <class Options>
void add_training_options(Command& command, Options& options) {
  command.add_option(
      "--network", options.networks, "Networks",
      {.value = "NAME[,NAME...]", .choices = network_names(), .list = ListForm::commas, .show_default = true});
  add_counts(command, "--replicas", options.replicas, "Networks side by side");
  command.add_option(
      "--optimizer", options.optimizers, "Optimizers",
      {.value = "NAME[,NAME...]", .choices = {"sgd", "adam"}, .list = ListForm::commas, .show_default = true});
}

void add_step(Command& parent) {
  struct StepFlags {
    DeviceOptions device;
    bench::StepOptions bench;
    std::string json;
    bool quick = false;
  };
  auto& command = parent.add_command("step", "Measure training steps of both networks, per replica");
  auto flags = std::make_shared<StepFlags>();
  auto& options = flags->bench;
  add_device_flags(command, flags->device);
  command.add_option("--batch", options.batches, "Batch sizes",
                     {.value = "N[,N...]",
                      .range = {{1, 1'000'000}},
                      .list = ListForm::commas,
                      .default_text = "16,64,256 for the MLP, 128 for the ConvNet"});
  command.add_option("--compactness", options.compactness, "Fractions of the hidden units that are active",
                     {.value = "X[,X...]", .range = {{0.001, 1}}, .list = ListForm::commas, .show_default = true});
  add_training_options(command, options);
  command.add_option("--gemm-backend", options.gemm_backend,
                     "Backend for matrix products. Default: the first that `cambium devices` lists as working",
                     {.value = "NAME"});
  command.add_option("--convolution-backend", options.convolution_backend,
                     "Backend for convolutions. Default: the first that `cambium devices` lists as working",
                     {.value = "NAME"});
  add_samples(command, options.effort.samples, "Samples per figure; the median is shown");
  command.add_flag("--quick", flags->quick, "Use samples of 20 ms");
  add_json(command, flags->json);
  command.set_action([flags] {
    if (flags->quick) flags->bench.effort.seconds_per_sample = 0.02;
    OutputFile json(flags->json);
    Device device(flags->device);
    flags->bench.graph = flags->device.graph;
    write_figures(json, "step", device, bench::step(device, flags->bench));
    return exit_done;
  });
}

void add_edit(Command& parent) {
  struct EditFlags {
    DeviceOptions device;
    bench::EditOptions bench;
    std::string json;
  };
  auto& command = parent.add_command("edit", "Measure edits of both networks, with recompaction");
  auto flags = std::make_shared<EditFlags>();
  auto& options = flags->bench;
  add_device_flags(command, flags->device);
  command.add_option(
      "--method", options.methods, "Methods",
      {.value = "NAME[,NAME...]", .choices = {"grow", "prune"}, .list = ListForm::commas, .show_default = true});
  command.add_option("--compactness", options.compactness, "Target fraction of hidden units to keep",
                     {.range = {{0.001, 1}}, .show_default = true});
  add_training_options(command, options);
  add_samples(command, options.samples, "Series of edits per figure; the median edit is shown");
  add_json(command, flags->json);
  command.set_action([flags] {
    OutputFile json(flags->json);
    Device device(flags->device);
    write_figures(json, "edit", device, bench::edit(device, flags->bench));
    return exit_done;
  });
}

}  // namespace

void add_bench(Command& root) {
  auto& command = root.add_command("bench", "Measure commands, matrix products, convolutions, steps and edits");
  command.require_command();
  add_benchmark(command, "launch", "Measure single commands, and building the kernel library", false, bench::launch);
  add_benchmark(command, "gemm", "Measure the matrix products of both networks, per backend", true, bench::gemm);
  add_benchmark(command, "conv", "Measure the convolutions of the ConvNet, per backend", true, bench::convolution);
  add_step(command);
  add_edit(command);
}

}  // namespace cambium::cli
