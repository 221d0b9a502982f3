// cambium bench: what commands, matrix products, convolutions, training steps and edits cost on a device.

#include "bench/bench.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "layers/architecture.hpp"

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

using Benchmark = nlohmann::json (*)(Device&, const bench::Options&);

void add_benchmark(CLI::App& parent, const std::string& name, const std::string& description, bool shapes,
                   Benchmark benchmark) {
  auto* command = parent.add_subcommand(name, description);
  auto flags = std::make_shared<Flags>();
  add_device_flags(*command, flags->device);
  command->add_option("--backend", flags->bench.backends, "Measure these backends only")->delimiter(',');
  if (shapes) {
    command->add_option("--batch", flags->bench.batches, "Batch sizes")
        ->delimiter(',')
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--replicas", flags->bench.replicas, "Networks side by side")
        ->delimiter(',')
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_flag("--shapes", flags->bench.every_shape, "A line for every single shape");
  }
  command->add_option("--samples", flags->bench.effort.samples, "Samples per figure; the median is shown")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--quick", flags->quick, "Few shapes, few samples: half a minute at most");
  command->add_option("--json", flags->json, "Also write the figures to this file");
  command->callback([flags, benchmark, name, command, shapes] {
    if (flags->quick) {
      // What was asked for by name stays.
      const bench::Options quick{
          .batches = {64}, .replicas = {1}, .effort = {.samples = 3, .seconds_per_sample = 0.002}};
      if (shapes && command->count("--batch") == 0) flags->bench.batches = quick.batches;
      if (shapes && command->count("--replicas") == 0) flags->bench.replicas = quick.replicas;
      if (command->count("--samples") == 0) flags->bench.effort = quick.effort;
    }
    OutputFile json(flags->json);
    Device device(flags->device);
    write_figures(json, name, device, benchmark(device, flags->bench));
  });
}

// What benchmarks of training have in common.
template <class Options>
void add_training_flags(CLI::App& command, Options& options) {
  command.add_option("--network", options.networks, "Networks")
      ->delimiter(',')
      ->check(CLI::IsMember(network_names()))
      ->capture_default_str();
  command.add_option("--replicas", options.replicas, "Networks side by side")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command.add_option("--optimizer", options.optimizers, "Optimisers")
      ->delimiter(',')
      ->check(CLI::IsMember({"sgd", "adam"}))
      ->capture_default_str();
}

void add_step(CLI::App& parent) {
  struct StepFlags {
    DeviceOptions device;
    bench::StepOptions bench;
    std::string json;
    bool quick = false;
  };
  auto* command = parent.add_subcommand("step", "Training steps of both networks, per replica");
  auto flags = std::make_shared<StepFlags>();
  auto& options = flags->bench;
  add_device_flags(*command, flags->device);
  command->add_option("--batch", options.batches, "Batch sizes. Default: 16, 64, 256 for the MLP, 128 for the ConvNet")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--compactness", options.compactness, "Shares of the hidden units that are active")
      ->delimiter(',')
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  add_training_flags(*command, options);
  command
      ->add_option("--gemm-backend", options.gemm_backend,
                   "Backend of matrix products, as `cambium devices` lists them")
      ->type_name("NAME");
  command->add_option("--convolution-backend", options.convolution_backend, "Backend of convolutions")
      ->type_name("NAME");
  command->add_option("--samples", options.effort.samples, "Samples per figure; the median is shown")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--quick", flags->quick, "Shorter samples");
  command->add_option("--json", flags->json, "Also write the figures to this file");
  command->callback([flags] {
    if (flags->quick) flags->bench.effort.seconds_per_sample = 0.02;
    OutputFile json(flags->json);
    Device device(flags->device);
    flags->bench.graph = flags->device.graph;
    write_figures(json, "step", device, bench::step(device, flags->bench));
  });
}

void add_edit(CLI::App& parent) {
  struct EditFlags {
    DeviceOptions device;
    bench::EditOptions bench;
    std::string json;
  };
  auto* command = parent.add_subcommand("edit", "Edits of both networks, with recompaction");
  auto flags = std::make_shared<EditFlags>();
  auto& options = flags->bench;
  add_device_flags(*command, flags->device);
  command->add_option("--method", options.methods, "Methods")
      ->delimiter(',')
      ->check(CLI::IsMember({"grow", "prune"}))
      ->capture_default_str();
  command->add_option("--compactness", options.compactness, "Share of the weights that is there in the end")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  add_training_flags(*command, options);
  command->add_option("--samples", options.samples, "Whole runs of edits per figure; the median edit is shown")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--json", flags->json, "Also write the figures to this file");
  command->callback([flags] {
    OutputFile json(flags->json);
    Device device(flags->device);
    write_figures(json, "edit", device, bench::edit(device, flags->bench));
  });
}

}  // namespace

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand("bench", "Measure a device: cost of commands, matrix products, convolutions");
  command->require_subcommand(1);
  add_benchmark(*command, "launch", "Cost of single commands, and of building the kernel library", false,
                bench::launch);
  add_benchmark(*command, "gemm", "Matrix products of both networks, per backend", true, bench::gemm);
  add_benchmark(*command, "conv", "Convolutions of the ConvNet, per backend", true, bench::convolution);
  add_step(*command);
  add_edit(*command);
}

}  // namespace cambium::cli
