// cambium train: trains the networks of one configuration, all seeds side by side.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/shared_flags.hpp"
#include "lab/config/key.hpp"
#include "lab/run/run.hpp"
#include "lab/run/split_run.hpp"
#include "lab/run/tensorboard.hpp"
#include "streams/data/data_set.hpp"
#include "sycl/device.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  DeviceOptions device;
  std::vector<std::string> data_folders;
  std::string config_file, out, gemm_backend, convolution_backend;
  ConfigText keys;
  RunOptions run;
};

// The help of a flag: what it does, its values, unit, condition and default.
std::string help_of(const ConfigKey& key) {
  std::string help = key.help;
  if (key.placeholder == "NAME") help += fmt::format(": {}", key.values);
  if (!key.unit.empty()) help += fmt::format(" (in {})", key.unit);
  if (!key.condition.words.empty()) help += fmt::format("; applies only {}", key.condition.words);
  return help + ". Default: " + key.default_value.words;
}

// The folder is named by the configuration, so that the same command resumes the run.
std::filesystem::path default_folder(const RunConfig& config) {
  return std::filesystem::path("results") / "train" /
         fmt::format("{}-{}-{}", config.stream().name, name_of(config.method), run_id(config));
}

using Json = nlohmann::ordered_json;

// A column of the table: a measure of the run, or of its ticket phase.
struct Column {
  std::string heading, part, name;  // part: "", ticket, ticket_minus_cycles
};

std::vector<Column> columns_of(const RunConfig& config, bool ticket) {
  std::vector<Column> columns;
  switch (config.stream().kind) {
    case StreamEntry::Kind::iid:
      columns = {{"test accuracy", "", "accuracy"},
                 {"mean of epochs", "", "taa_epochs"},
                 {"mean of cycles", "", "taa_cycles"}};
      if (ticket)
        columns.insert(columns.end(), {{"ticket", "ticket", "accuracy"}, {"mean of epochs", "ticket", "taa_epochs"}});
      break;
    case StreamEntry::Kind::class_incremental:
      columns = {
          {"test accuracy", "", "accuracy"}, {"mean of tasks", "", "taa_tasks"}, {"forgetting", "", "forgetting"}};
      if (ticket)
        columns.insert(columns.end(), {{"ticket", "ticket", "accuracy"}, {"mean of tasks", "ticket", "taa_tasks"}});
      break;
    case StreamEntry::Kind::shifting:
      columns = {{"online accuracy", "", "taoa"},
                 {"first tenths", "", "early_window_10"},
                 {"early tasks", "", "early_tasks"},
                 {"all tasks at the end", "", "accuracy"}};
      if (ticket) columns.push_back({"ticket", "ticket", "taoa"});
      break;
  }
  if (ticket) columns.push_back({"minus cycles", "ticket_minus_cycles", columns.front().name});
  return columns;
}

void print_result(const RunFolder& folder, const RunConfig& config) {
  std::ifstream stream(folder.result());
  const auto result = Json::parse(stream);
  const auto columns = columns_of(config, result.contains("ticket"));
  const auto width = [](const Column& column) { return std::max<std::size_t>(14, column.heading.size() + 1); };
  fmt::print("{:>12}", "seed");
  for (const auto& column : columns) fmt::print(" {:>{}}", column.heading, width(column));
  fmt::print("\n");
  const auto line = [&](const std::string& name, const auto& value) {
    fmt::print("{:>12}", name);
    for (const auto& column : columns) {
      const Json& part = column.part.empty() ? result : result.at(column.part);
      // A stream of one task has neither early tasks nor forgetting.
      const auto text = !part.contains(column.name) ? "-"
                        : column.part == "ticket_minus_cycles"
                            ? fmt::format("{:+.2f}%", 100 * value(part.at(column.name)))
                            : fmt::format("{:.2f}%", 100 * value(part.at(column.name)));
      fmt::print(" {:>{}}", text, width(column));
    }
    fmt::print("\n");
  };
  const auto& seeds = result.at("seeds");
  for (std::size_t i = 0; i < seeds.size(); ++i)
    line(seeds[i].dump(), [&](const Json& of) { return of.at("seeds").at(i).get<double>(); });
  if (seeds.size() > 1) {
    line("mean", [&](const Json& of) { return of.at("mean").get<double>(); });
    line("deviation", [&](const Json& of) { return of.at("standard_deviation").get<double>(); });
  }
  fmt::print("\nResults: {}\n", folder.path().string());
}

// Whether the seeds are divided over the devices. A run that has begun keeps its division.
bool divides(const std::vector<DeviceInfo>& devices, const RunFolder& folder, const RunConfig& config) {
  if (has_parts(folder)) return true;
  if (devices.size() == 1) return false;
  if (std::filesystem::exists(folder.checkpoint()))
    spdlog::info("This run began on one device; it resumes on the first, {}", devices.front().name);
  else if (config.seeds.size() == 1)
    spdlog::info("A run of one seed uses one device, the first");
  else
    return true;
  return false;
}

int train_command(const Flags& flags) {
  ConfigText keys = flags.config_file.empty() ? ConfigText{} : read_config(flags.config_file);
  // An option overrides the file, also by its alternative key.
  for (const auto& [one, other] : {std::pair{"epochs", "epochs_per_cycle"}, std::pair{"data", "stream"}}) {
    if (flags.keys.contains(one)) keys.erase(other);
    if (flags.keys.contains(other)) keys.erase(one);
  }
  for (const auto& [key, value] : flags.keys) keys[key] = value;
  const RunConfig config = make_config(keys);
  RunFolder folder(flags.out.empty() ? default_folder(config) : std::filesystem::path(flags.out), config);
  if (std::filesystem::exists(folder.result())) {
    spdlog::info("This run is done; its result follows.");
    remove_parts(folder);
    if (!flags.run.trace.empty())
      throw_input_error("--trace: the run in {} is already done; give another folder with --out",
                        folder.path().string());
    if (flags.run.tensorboard) TensorBoard(folder.path(), config.seeds);
    print_result(folder, config);
    return exit_done;
  }
  static_cast<void>(OutputFile(flags.run.trace));  // Refuses a wrong name before the work begins.
  auto chosen = find_devices(flags.device.device);
  const bool in_parts = divides(chosen, folder, config);
  if (!in_parts) chosen.resize(1);
  if (in_parts && !flags.run.trace.empty())
    throw_input_error(
        "--trace: a trace needs a run on one device; give one device with --device, and a new folder with --out");
  DataSet data = load_data_set(config.stream().data, data_folders(flags.data_folders));
  std::vector<std::unique_ptr<Device>> devices;
  for (const auto& info : chosen) {
    devices.push_back(std::make_unique<Device>(info, flags.device));
    devices.back()->use_gemm_backend(flags.gemm_backend);
    devices.back()->use_convolution_backend(flags.convolution_backend);
  }
  const auto end = in_parts ? train_in_parts(devices, config, data, folder, flags.run)
                            : train(*devices.front(), config, std::move(data), folder, flags.run);
  if (end == RunEnd::interrupted) {
    fmt::print(stderr, "Interrupted. The checkpoint is in {}; the same command resumes the run.\n",
               folder.path().string());
    return exit_interrupted;
  }
  if (in_parts && flags.run.tensorboard) TensorBoard(folder.path(), config.seeds);
  print_result(folder, config);
  return exit_done;
}

}  // namespace

void add_train(Command& root) {
  auto& command =
      root.add_command("train", "Train networks on a data set or a stream of tasks, many seeds side by side");
  auto flags = std::make_shared<Flags>();
  const auto group = "Configuration (each is a key of a TOML file, too, with _ for -)";
  for (const auto& key : config_keys()) {
    const auto flag = key.flag();
    const auto opposite = "--no-" + flag.substr(2);
    const auto set = [flags, name = key.name, flag, opposite](const std::string& value) {
      if (flags->keys.contains(name)) throw_input_error("{}: give this or {}, not both", flag, opposite);
      flags->keys[name] = value.empty() ? "yes" : value;
    };
    if (!key.yes_or_no) {
      command.add_option_with(flag, set, help_of(key), {.value = key.placeholder, .group = group});
      continue;
    }
    // --ticket, --ticket yes, --no-ticket
    command.add_option_with(flag, set, help_of(key) + "; or " + opposite,
                            {.value = "[yes|no]", .group = group, .value_optional = true});
    command.add_flag_with(opposite, [set] { set("no"); }, "", {.hidden = true});
  }
  command.add_option("--config", flags->config_file, "Read the configuration from this TOML file; options override it",
                     {.value = "FILE"});
  command.add_option("--out", flags->out,
                     "Folder of the run. Default: a folder in results/train/, named by the configuration",
                     {.value = "DIR"});
  add_data_folder_flag(command, flags->data_folders);
  add_device_flags(command, flags->device, /*several=*/true);
  command.add_option("--gemm-backend", flags->gemm_backend,
                     "Backend for matrix products. Default: the first that `cambium devices` lists as working",
                     {.value = "NAME"});
  command.add_option("--convolution-backend", flags->convolution_backend,
                     "Backend for convolutions. Default: the first that `cambium devices` lists as working",
                     {.value = "NAME"});
  command.add_option("--checkpoint-every", flags->run.checkpoint_seconds, "Seconds between two checkpoints",
                     {.value = "SECONDS", .range = {{0, 1e9}}, .show_default = true});
  command.add_option("--trace", flags->run.trace,
                     "Also write a trace, from which another framework can replay the run (docs/trace.md)",
                     {.value = "FILE"});
  command.add_flag("--tensorboard", flags->run.tensorboard, "Also write the curves as event files for TensorBoard");
  command.set_footer(
      "An interrupted run resumes when the same command is given again: after Ctrl-C (exit code 4) without loss, after "
      "a crash from the last checkpoint. The result is bitwise the same.");
  command.set_action([flags, &root] {
    flags->run.quiet = root.given("--quiet");
    return train_command(*flags);
  });
}

}  // namespace cambium::cli
