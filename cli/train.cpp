// cambium train: trains the networks of one configuration, all seeds side by side.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <fstream>

#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "lab/run/run.hpp"
#include "lab/run/split_run.hpp"
#include "lab/run/tensorboard.hpp"
#include "streams/data/data_set.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  DeviceOptions device;
  std::vector<std::string> data_folders;
  std::string config_file, out, gemm_backend, convolution_backend;
  ConfigText keys;
  RunOptions run;
};

std::string flag_of(const std::string& key) {
  std::string flag = "--" + key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// The same configuration has the same folder, so that the same command goes on with it.
std::filesystem::path default_folder(const RunConfig& config) {
  return std::filesystem::path("results") / "train" /
         fmt::format("{}-{}-{}", config.stream().name, name_of(config.method), run_id(config));
}

using Json = nlohmann::ordered_json;

// A column of the table: a measure of the result, or of its ticket.
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
      // A single task has no early ones and none to forget.
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
  fmt::print("\nEverything is in {}\n", folder.path().string());
}

// Whether the seeds are divided over devices. What a run began with, it ends with.
bool divides(const std::vector<DeviceInfo>& devices, const RunFolder& folder, const RunConfig& config) {
  if (has_parts(folder)) return true;
  if (devices.size() == 1) return false;
  if (std::filesystem::exists(folder.checkpoint()))
    spdlog::info("This run was begun on one device; it goes on on the first, {}", devices.front().name);
  else if (config.seeds.size() == 1)
    spdlog::info("A run of one seed uses one device, the first");
  else
    return true;
  return false;
}

void train_command(const Flags& flags) {
  ConfigText keys = flags.config_file.empty() ? ConfigText{} : read_config(flags.config_file);
  // A flag outranks the file, also where the two are two ways to say the same.
  for (const auto& [one, other] : {std::pair{"epochs", "epochs_per_cycle"}, std::pair{"data", "stream"}}) {
    if (flags.keys.contains(one)) keys.erase(other);
    if (flags.keys.contains(other)) keys.erase(one);
  }
  for (const auto& [key, value] : flags.keys) keys[key] = value;
  const RunConfig config = make_config(keys);
  RunFolder folder(flags.out.empty() ? default_folder(config) : std::filesystem::path(flags.out), config);
  if (std::filesystem::exists(folder.result())) {
    spdlog::info("This run is done.");
    remove_parts(folder);
    if (!flags.run.trace.empty())
      throw_input_error("--trace: the run in {} is done already; choose another folder with --out",
                        folder.path().string());
    if (flags.run.tensorboard) TensorBoard(folder.path(), config.seeds);
    return print_result(folder, config);
  }
  static_cast<void>(OutputFile(flags.run.trace));  // A wrong name costs no time.
  auto chosen = find_devices(flags.device.device);
  const bool in_parts = divides(chosen, folder, config);
  if (!in_parts) chosen.resize(1);
  if (in_parts && !flags.run.trace.empty())
    throw_input_error("--trace: a trace is made on one device; give one to --device, and a new folder to --out");
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
    fmt::print(stderr, "Interrupted; everything so far is in {}. The same command goes on from there.\n",
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
  const auto group = "Configuration (each is a key of a TOML file, too, with _ for -)";
  for (const auto& key : config_keys()) {
    const auto flag = flag_of(key.name);
    const auto set = [flags, name = key.name, flag](const std::string& value) {
      if (flags->keys.contains(name))
        throw CLI::ValidationError(flag, "give this or --no-" + flag.substr(2) + ", not both");
      flags->keys[name] = value.empty() ? "yes" : value;
    };
    auto* option = command->add_option_function<std::string>(flag, set, key.help)->type_name(key.value)->group(group);
    if (!key.yes_or_no()) continue;
    // --ticket, --ticket yes, --no-ticket
    const auto opposite = "--no-" + flag.substr(2);
    option->expected(0, 1)->type_name("[yes|no]")->description(key.help + "; or " + opposite);
    command->add_flag_callback(opposite, [set] { set("no"); })->group("");  // named beside its opposite
  }
  command->add_option("--config", flags->config_file, "Take the configuration from this TOML file; flags outrank it")
      ->type_name("FILE");
  command->add_option("--out", flags->out, "Folder of the run. Default: results/train/, named by the configuration")
      ->type_name("DIR");
  add_data_folders_flag(*command, flags->data_folders);
  add_device_flags(*command, flags->device, /*several=*/true);
  command
      ->add_option("--gemm-backend", flags->gemm_backend, "Backend of matrix products, as `cambium devices` lists them")
      ->type_name("NAME");
  command->add_option("--convolution-backend", flags->convolution_backend, "Backend of convolutions")
      ->type_name("NAME");
  command->add_option("--checkpoint-every", flags->run.checkpoint_seconds, "Seconds between checkpoints")
      ->check(CLI::Range(0.0, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  command->add_option("--trace", flags->run.trace, "Also write all that another framework needs to replay the run")
      ->type_name("FILE");
  command->add_flag("--tensorboard", flags->run.tensorboard, "Also write the curves as event files for TensorBoard");
  command->footer(
      "The same command goes on where it was interrupted: by Ctrl-C (exit code 4, nothing lost) or by a crash (from "
      "the last checkpoint). The result is the same to the last bit.");
  command->callback([flags, &app] {
    flags->run.quiet = app.count("--quiet") > 0;
    train_command(*flags);
  });
}

}  // namespace cambium::cli
