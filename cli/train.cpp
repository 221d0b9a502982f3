// cambium train: trains the networks of one configuration, all seeds side by side.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "lab/config/key.hpp"
#include "lab/run/run.hpp"
#include "lab/run/split_run.hpp"
#include "lab/run/tensorboard.hpp"
#include "streams/data/data_set.hpp"

namespace cambium::cli {
namespace {

// The help of a flag: what it does, its values, its unit, its default.
std::string help_of(const ConfigKey& key) {
  std::string help = key.help;
  if (key.placeholder == "NAME") help += fmt::format(": {}", key.values);
  if (!key.unit.empty()) help += fmt::format(" (in {})", key.unit);
  if (!key.only.words.empty()) help += fmt::format("; applies only {}", key.only.words);
  return help + ". Default: " + key.otherwise.words;
}

struct Flags {
  DeviceOptions device;
  std::vector<std::string> data_folders;
  std::string config_file, out, gemm_backend, convolution_backend;
  ConfigText keys;
  RunOptions run;
};

// The folder follows from the configuration, so that the same command resumes its run.
std::filesystem::path default_folder(const RunConfig& config) {
  return std::filesystem::path("results") / "train" /
         fmt::format("{}-{}-{}", config.stream().name, name_of(config.method), run_id(config));
}

using Json = nlohmann::ordered_json;

// A column of the table: a measure of the run or of its ticket.
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
      // A stream of one task has no early tasks and no forgetting.
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
  fmt::print("\nAll files are in {}\n", folder.path().string());
}

// Returns true if the seeds are divided among the devices. A run that has begun keeps its division.
bool divides(const std::vector<DeviceInfo>& devices, const RunFolder& folder, const RunConfig& config) {
  if (has_parts(folder)) return true;
  if (devices.size() == 1) return false;
  if (std::filesystem::exists(folder.checkpoint()))
    spdlog::info("This run began on one device; it resumes on the first one, {}", devices.front().name);
  else if (config.seeds.size() == 1)
    spdlog::info("A run of one seed uses only the first device");
  else
    return true;
  return false;
}

void train_command(const Flags& flags) {
  ConfigText keys = flags.config_file.empty() ? ConfigText{} : read_config(flags.config_file);
  // Flags override the file, also where two keys set the same value.
  for (const auto& [one, other] : {std::pair{"epochs", "epochs_per_cycle"}, std::pair{"data", "stream"}}) {
    if (flags.keys.contains(one)) keys.erase(other);
    if (flags.keys.contains(other)) keys.erase(one);
  }
  for (const auto& [key, value] : flags.keys) keys[key] = value;
  const RunConfig config = make_config(keys);
  RunFolder folder(flags.out.empty() ? default_folder(config) : std::filesystem::path(flags.out), config);
  if (std::filesystem::exists(folder.result())) {
    spdlog::info("This run has finished before.");
    remove_parts(folder);
    if (!flags.run.trace.empty())
      throw_input_error("--trace: the run in {} has already finished. Choose another folder with --out",
                        folder.path().string());
    if (flags.run.tensorboard) TensorBoard(folder.path(), config.seeds);
    return print_result(folder, config);
  }
  static_cast<void>(OutputFile(flags.run.trace));  // fail early if the file cannot be written
  auto chosen = find_devices(flags.device.device);
  const bool in_parts = divides(chosen, folder, config);
  if (!in_parts) chosen.resize(1);
  if (in_parts && !flags.run.trace.empty())
    throw_input_error(
        "--trace: a trace needs a run on one device. Give one device to --device, and a new folder to --out");
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
    fmt::print(stderr, "Interrupted; the checkpoint is in {}. The same command resumes the run.\n",
               folder.path().string());
    throw CLI::RuntimeError(exit_interrupted);
  }
  if (in_parts && flags.run.tensorboard) TensorBoard(folder.path(), config.seeds);
  print_result(folder, config);
}

}  // namespace

void add_train(CLI::App& app) {
  auto* command =
      app.add_subcommand("train", "Train networks on a data set or a stream of tasks, many seeds side by side");
  auto flags = std::make_shared<Flags>();
  const auto group = "Configuration (each flag is also a key of a TOML file, with _ for -)";
  for (const auto& key : config_keys()) {
    const auto flag = key.flag();
    const auto set = [flags, name = key.name, flag](const std::string& value) {
      if (flags->keys.contains(name))
        throw CLI::ValidationError(flag, "give either this flag or --no-" + flag.substr(2));
      flags->keys[name] = value.empty() ? "yes" : value;
    };
    auto* option =
        command->add_option_function<std::string>(flag, set, help_of(key))->type_name(key.placeholder)->group(group);
    if (!key.yes_or_no) continue;
    // --ticket, --ticket yes, --no-ticket
    const auto opposite = "--no-" + flag.substr(2);
    option->expected(0, 1)->type_name("[yes|no]")->description(help_of(key) + "; or " + opposite);
    command->add_flag_callback(opposite, [set] { set("no"); })->group("");  // named beside its opposite
  }
  command->add_option("--config", flags->config_file, "Read the configuration from this TOML file; flags override it")
      ->type_name("FILE");
  command
      ->add_option("--out", flags->out,
                   "Folder of the run. Default: a folder in results/train/ whose name follows from the configuration")
      ->type_name("DIR");
  add_data_folders_flag(*command, flags->data_folders);
  add_device_flags(*command, flags->device, /*several=*/true);
  command
      ->add_option("--gemm-backend", flags->gemm_backend,
                   "Backend of matrix products; `cambium devices` lists the backends")
      ->type_name("NAME");
  command->add_option("--convolution-backend", flags->convolution_backend, "Backend of convolutions")
      ->type_name("NAME");
  command->add_option("--checkpoint-every", flags->run.checkpoint_seconds, "Seconds between checkpoints")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  command->add_option("--trace", flags->run.trace, "Also write a file from which another framework can replay the run")
      ->type_name("FILE");
  command->add_flag("--tensorboard", flags->run.tensorboard, "Also write the curves as event files for TensorBoard");
  command->footer(
      "The same command resumes an interrupted run: after Ctrl-C (exit code 4) where it stopped, after a crash from "
      "the "
      "last checkpoint. The result is bit for bit that of an uninterrupted run.");
  command->callback([flags, &app] {
    flags->run.quiet = app.count("--quiet") > 0;
    train_command(*flags);
  });
}

}  // namespace cambium::cli
