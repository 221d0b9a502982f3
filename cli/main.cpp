// cambium: declares the commands, runs one of them, and turns errors into messages and exit codes.

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <new>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "sycl/runtime.hpp"

namespace cambium::cli {

namespace {

int run(int argc, char** argv) {
  CommandLine line("cambium", "Cambium trains neural networks that grow and prune their own units, on any SYCL device.",
                   CAMBIUM_VERSION);
  auto& root = line.root();
  root.require_command();
  root.set_footer(
      "Exit codes: 0 done, 2 wrong input, 3 the device or the environment (disk, memory, network, gnuplot, SLURM) "
      "failed, "
      "4 interrupted with a checkpoint.");
  bool verbose = false, quiet = false;
  root.add_flag("-v,--verbose", verbose, "Also print which kernels are compiled or loaded and which backends are used");
  root.add_flag("-q,--quiet", quiet, "Print only results, warnings and errors");
  add_devices(root);
  add_kernels(root);
  add_selftest(root);
  add_bench(root);
  add_tune(root);
  add_data(root);
  add_streams(root);
  add_keys(root);
  add_train(root);
  add_inspect(root);
  add_plan(root);
  add_sweep(root);
  add_reproduce(root);
  add_report(root);
  return line.run(argc, argv, [&] {
    spdlog::set_level(verbose ? spdlog::level::debug : quiet ? spdlog::level::warn : spdlog::level::info);
  });
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
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "cambium: the host has not enough memory. End other programs, or use fewer seeds, a smaller batch or a "
               "smaller network.\n");
    return exit_failure;
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "cambium: {}. Check the path, its permissions and the disk.\n", error.what());
    return exit_failure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cambium: internal error: {}\nThis is a bug in Cambium; please report it.\n", error.what());
    return exit_internal;
  }
}
