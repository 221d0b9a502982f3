// cambium: the command line. Parses, runs one subcommand, and turns errors into messages and exit codes.

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <map>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "sycl/runtime.hpp"

namespace cambium::cli {

void add_device_flags(CLI::App& command, DeviceOptions& options, bool several) {
  std::string help =
      "Device: a number, selector or part of a name that `cambium devices` shows (0, gpu, cpu, level_zero:gpu:1, "
      "pocl), "
      "or a part of one (0.1). Default: what ONEAPI_DEVICE_SELECTOR allows, the best GPU before a CPU";
  if (several) help += ". Several, separated by commas (0,1): each trains a share of the seeds";
  command.add_option("--device", options.device, help)->type_name(several ? "NAME[,NAME...]" : "NAME");
  command
      .add_option(
          "--graph", options.graph,
          "Submit every training step as one recorded SYCL graph: auto (GPUs: if the first steps run faster that "
          "way; CPUs: no), on (an error where it is impossible), off. Same results. Default: auto")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, GraphUse>{{"auto", GraphUse::automatic}, {"on", GraphUse::on}, {"off", GraphUse::off}}))
      ->option_text("auto|on|off");
  command.add_flag_callback(
      "--no-cache", [&options] { options.kernel_cache = false; }, "Compile all kernels anew and keep none on disk");
  command
      .add_option_function<std::string>(
          "--kernels",
          [&options](const std::string& kind) {
            options.kernels = kind == "gpu" ? PortableKernels::gpu : PortableKernels::cpu;
          },
          "Cambium's own kernels for this kind of device: cpu or gpu. Default: the kind of the device")
      ->check(CLI::IsMember({"cpu", "gpu"}));
}

namespace {

// The nearest flag or subcommand to the first word that the parser did not know.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto subcommands = command->get_subcommands([](const CLI::App*) { return true; });
    const auto named = std::find_if(subcommands.begin(), subcommands.end(),
                                    [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (named != subcommands.end()) {
      command = *named;
      continue;
    }
    std::vector<std::string> known;
    if (word.starts_with("-")) {
      for (const CLI::App* level = command; level != nullptr; level = level->get_parent())
        for (const auto* option : level->get_options())
          for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    } else if (subcommands.empty()) {
      continue;  // a value
    } else {
      for (const auto* sub : subcommands) known.push_back(sub->get_name());
    }
    const std::string flag = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), flag) != known.end()) continue;
    const auto near = nearest(flag, known);
    return near.empty() ? fmt::format("Known here: {}.", fmt::join(known, ", "))
                        : fmt::format("Did you mean {}?", near);
  }
  return {};
}

int run(int argc, char** argv) {
  CLI::App app{"Cambium trains neural networks that grow and prune their own units, on any SYCL device."};
  app.name("cambium");
  app.set_version_flag("--version", "cambium " CAMBIUM_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.get_formatter()->column_width(36);
  app.footer(
      "Exit codes: 0 done, 2 wrong input, 3 the device, the network or a library failed, 4 interrupted with a "
      "checkpoint.");
  bool verbose = false, quiet = false;
  app.add_flag("-v,--verbose", verbose, "Say more: kernels compiled or loaded, implementations chosen");
  app.add_flag("-q,--quiet", quiet, "Say nothing but results, warnings and errors");
  app.parse_complete_callback([&] {
    spdlog::set_level(verbose ? spdlog::level::debug : quiet ? spdlog::level::warn : spdlog::level::info);
  });
  add_devices(app);
  add_kernels(app);
  add_selftest(app);
  add_bench(app);
  add_tune(app);
  add_data(app);
  add_streams(app);
  add_keys(app);
  add_train(app);
  add_inspect(app);
  add_plan(app);
  add_sweep(app);
  add_reproduce(app);
  add_report(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::RuntimeError& ended) {
    return ended.get_exit_code();
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "cambium: {}. {}\nRun `cambium --help`, or with a subcommand, for what there is.\n",
               error.what(), suggestion(app, argc, argv));
    return exit_input;
  }
  return exit_done;
}

}  // namespace
}  // namespace cambium::cli

int main(int argc, char** argv) {
  using namespace cambium;
  auto log = spdlog::stderr_color_mt("cambium");
  log->set_pattern("%^%v%$");
  spdlog::set_default_logger(log);
  prepare_runtime();
  try {
    return cli::run(argc, argv);
  } catch (const InputError& error) {
    fmt::print(stderr, "cambium: {}\n", error.what());
    return exit_input;
  } catch (const EnvironmentError& error) {
    fmt::print(stderr, "cambium: {}\n", error.what());
    return exit_failure;
  } catch (const DeviceError& error) {
    fmt::print(stderr, "cambium: {}\n", error.what());
    return exit_failure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cambium: internal error: {}\nThis is a bug in Cambium; please report it.\n", error.what());
    return exit_internal;
  }
}
