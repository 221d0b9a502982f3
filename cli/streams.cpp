// cambium streams: lists the streams of tasks, and describes one with the first tasks of a seed.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/shared_flags.hpp"
#include "cli/task_preview.hpp"
#include "lab/config/study_presets.hpp"
#include "streams/data/locate.hpp"

namespace cambium::cli {
namespace {

using Kind = StreamEntry::Kind;

struct Flags {
  std::vector<std::string> folders;
  std::string name, sheet;
  std::uint32_t seed = 1;
  std::int32_t tasks = 0;  // 0: default_task_count
  bool json = false;
};

constexpr std::int32_t default_task_count = 5;

DataSearch search_data(const StreamEntry& entry, const DataFolders& where) {
  return search_data_set(catalogue_entry(entry.data), where);
}

std::string name_of(Kind kind) {
  return kind == Kind::iid ? "i.i.d." : kind == Kind::class_incremental ? "class-incremental" : "shifting";
}

// "1 task", "5 tasks".
std::string counted(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string length_of(const StreamEntry& entry) {
  return entry.steps_per_task > 0 ? counted(entry.steps_per_task, "step") : counted(entry.epochs_per_task, "epoch");
}

std::string score_of(const StreamEntry& entry) {
  if (entry.kind == Kind::iid) return "accuracy on the test images, after each epoch";
  if (entry.kind == Kind::class_incremental) return "accuracy on the test images of the tasks so far, after each epoch";
  std::string score = "online accuracy: on each batch, before the step that trains on it";
  if (entry.counts == nullptr) return score;
  std::vector<std::string> counting;
  for (std::int32_t task = 0; task < entry.tasks && counting.size() < 4; ++task)
    if (entry.counts(task)) counting.push_back(fmt::format("{}", task + 1));
  return fmt::format("{}; only tasks {}, ... count", score, fmt::join(counting, ", "));
}

std::string input_of(const StudyPreset& preset) {
  return fmt::format("{}{}", preset.standardised ? "(x - mean) / std per channel" : "pixels / 255",
                     preset.augment ? "; random crops and flips in training" : "");
}

// Steps of the first task and of each later one, at the largest size of the tasks.
std::pair<std::uint64_t, std::uint64_t> steps_of_tasks(const CurriculumSettings& settings) {
  const std::int32_t periods = settings.periods_per_task();
  const std::uint64_t first = settings.first_step(periods);
  return {first, settings.first_step(2 * periods) - first};
}

// "5 tasks of 20 epochs; 940 steps in the first, 1880 in each other; 8460 steps in total".
std::string length_text(const StreamEntry& entry) {
  const auto settings = study_settings(entry);
  const auto [first, others] = steps_of_tasks(settings);
  const bool differ = entry.steps_per_task == 0 && settings.fewest_images() < settings.task_images;
  const std::string most = differ ? "at most " : "";
  std::string text = fmt::format("{} of {}", counted(entry.tasks, "task"), length_of(entry));
  if (entry.tasks > 1 && entry.steps_per_task == 0)
    text += fmt::format("; {}{} steps {}", most, first,
                        first == others ? "in each" : fmt::format("in the first, {} in each other", others));
  return text + fmt::format("; {}{} steps in total", most, settings.step_numbers());
}

// The place of the data, or how to get them.
std::vector<std::string> data_lines(const StreamEntry& entry, const DataSearch& search) {
  const auto& data = catalogue_entry(entry.data);
  if (search.found) return {fmt::format("found in {}", search.found->place.string())};
  std::vector<std::string> lines{"not found. " + how_to_get(data)};
  if (data.by_hand.empty()) lines[0] += fmt::format(" ({:.0f} MB)", static_cast<double>(data.fetched_bytes) / 1e6);
  for (const auto& remark : search.remarks) lines.push_back("note: " + remark);
  return lines;
}

void print_line(const std::string& name, const std::string& text) { fmt::print("    {:<12} {}\n", name, text); }

void print(const StreamEntry& entry, const DataSearch& search) {
  const auto settings = study_settings(entry);
  const auto& preset = study_preset(entry.name);
  fmt::print("{}: {}\n", entry.name, entry.description);
  print_line("kind", name_of(entry.kind));
  print_line("a task", entry.a_task);
  print_line("images", entry.fewest_images > 0 && entry.fewest_images < entry.task_images
                           ? fmt::format("{} to {} in a task", entry.fewest_images, entry.task_images)
                           : fmt::format("{} in a task", entry.task_images));
  print_line("length", length_text(entry));
  if (entry.most_tasks > entry.tasks) print_line("", fmt::format("up to {} tasks with --tasks", entry.most_tasks));
  print_line("batch", fmt::format("{} images", preset.batch));
  print_line(
      "replay",
      preset.replay
          ? fmt::format("Tiny ER: half of each batch from task 2 on; buffer of at most {} images per class, {} in "
                        "total",
                        settings.limits.per_class, settings.limits.in_all)
          : "none");
  print_line("score", score_of(entry));
  print_line("network",
             fmt::format("{}, {} outputs{}", preset.network, entry.classes, entry.tasks > 1 ? " for all tasks" : ""));
  print_line("input", input_of(preset));
  print_line("optimizer",
             fmt::format("{}; with Rand. Smooth-Leaky: {}",
                         preset.adam() ? fmt::format("Adam, constant learning rate {}", preset.rate)
                                       : fmt::format("SGD, cosine schedule from learning rate {}", preset.rate),
                         preset.rate_with_slopes));
  print_line("slopes", fmt::format("Rand. Smooth-Leaky with c = {}, p = {}, slopes from {} to {}", preset.slopes.c,
                                   preset.slopes.p, preset.slopes.lower, preset.slopes.upper));
  const auto& data = catalogue_entry(entry.data);
  print_line("data",
             fmt::format("{}: {}; {} + {} images of {} x {} x {}, {} classes", data.name, data.description,
                         data.train_images, data.test_images, data.height, data.width, data.channels, data.classes));
  for (const auto& line : data_lines(entry, search)) print_line("", line);
}

void print_table(const DataFolders& where) {
  fmt::print("{:<19} {:<18} {:<14} {:>5}  {:<12} {:>5} {:>8}  {}\n", "name", "kind", "data set", "tasks", "a task is",
             "batch", "steps", "data");
  for (const auto& entry : streams())
    fmt::print("{:<19} {:<18} {:<14} {:>5}  {:<12} {:>5} {:>8}  {}\n", entry.name, name_of(entry.kind), entry.data,
               entry.tasks, length_of(entry), study_preset(entry.name).batch, study_settings(entry).step_numbers(),
               search_data(entry, where).found ? "found" : "not found");
  fmt::print("\nDetails of one stream: cambium streams NAME. Places of the data sets: cambium data list.\n");
}

nlohmann::json to_json(const StreamEntry& entry, const DataSearch& search) {
  const auto settings = study_settings(entry);
  const auto& preset = study_preset(entry.name);
  const auto& found = search.found;
  nlohmann::json result{{"name", entry.name},
                        {"description", entry.description},
                        {"kind", entry.kind == Kind::iid                 ? "iid"
                                 : entry.kind == Kind::class_incremental ? "class_incremental"
                                                                         : "shifting"},
                        {"a_task", entry.a_task},
                        {"score", score_of(entry)},
                        {"tasks", entry.tasks},
                        {"most_tasks", entry.most_tasks},
                        {"task_images", entry.task_images},
                        {"fewest_images", settings.fewest_images()},
                        {"epochs_per_task", nullptr},
                        {"steps_per_task", nullptr},
                        {"batch", preset.batch},
                        {"steps_of_first_task", steps_of_tasks(settings).first},
                        {"steps", settings.step_numbers()},
                        {"replay", nullptr},
                        {"network", preset.network},
                        {"outputs", entry.classes},
                        {"pixels", preset.standardised ? "standardised" : "unit"},
                        {"augment", preset.augment},
                        {"optimizer", preset.adam() ? "adam" : "sgd"},
                        {"lr", preset.rate},
                        {"lr_with_rsl", preset.rate_with_slopes},
                        {"lr_schedule", preset.adam() ? "constant" : "cosine"},
                        {"rsl",
                         {{"c", preset.slopes.c},
                          {"p", preset.slopes.p},
                          {"lower", preset.slopes.lower},
                          {"upper", preset.slopes.upper}}},
                        {"data",
                         {{"name", entry.data},
                          {"found", found.has_value()},
                          {"place", found ? nlohmann::json(found->place.string()) : nlohmann::json()},
                          {"advice", found ? std::vector<std::string>{} : data_lines(entry, search)}}}};
  if (entry.steps_per_task > 0)
    result["steps_per_task"] = entry.steps_per_task;
  else
    result["epochs_per_task"] = entry.epochs_per_task;
  if (preset.replay) result["replay"] = {{"per_class", settings.limits.per_class}, {"total", settings.limits.in_all}};
  return result;
}

void describe(const Flags& flags) {
  const auto& entry = stream_entry(flags.name);
  if (flags.tasks > entry.most_tasks)
    throw_input_error("--tasks {}: {} has at most {}", flags.tasks, entry.name, counted(entry.most_tasks, "task"));
  const std::int32_t count = flags.tasks > 0 ? flags.tasks : std::min(default_task_count, entry.most_tasks);
  if (!flags.sheet.empty() && !flags.sheet.ends_with(".svg"))
    throw_input_error("--sheet {}: the sheet is an SVG file; give a name that ends in .svg", flags.sheet);
  OutputFile sheet(flags.sheet);
  const auto where = data_folders(flags.folders);
  const auto search = search_data(entry, where);
  const bool found = search.found.has_value();
  // A sheet needs the data: without them, load_data_set throws an error that says how to get them.
  const DataSet data = found || !flags.sheet.empty() ? load_data_set(entry.data, where) : DataSet{};
  std::optional<TaskPreview> tasks;
  if (found) tasks.emplace(entry, data, flags.seed, count);
  if (flags.json) {
    auto result = to_json(entry, search);
    result["seed"] = flags.seed;
    result["first_tasks"] = tasks ? tasks->to_json() : nlohmann::json();
    fmt::print("{}\n", result.dump(2));
  } else {
    print(entry, search);
    if (tasks)
      tasks->print();
    else
      fmt::print("\nThe tasks of seed {} cannot be shown without the data set {}.\n", flags.seed, entry.data);
  }
  if (flags.sheet.empty()) return;
  sheet.write(tasks->sheet());
  spdlog::info("Contact sheet: {}", flags.sheet);
}

void list(const Flags& flags) {
  const auto where = data_folders(flags.folders);
  if (!flags.json) return print_table(where);
  auto all = nlohmann::json::array();
  for (const auto& entry : streams()) all.push_back(to_json(entry, search_data(entry, where)));
  fmt::print("{}\n", nlohmann::json{{"streams", all}}.dump(2));
}

}  // namespace

void add_streams(Command& root) {
  auto& command = root.add_command("streams", "List the streams of tasks, or describe one of them");
  auto flags = std::make_shared<Flags>();
  command.add_option("NAME", flags->name, "Stream to describe. Default: a table of all streams");
  add_data_folder_flag(command, flags->folders);
  command.add_option("--seed", flags->seed, "Seed whose tasks are shown", {.show_default = true, .needs = "NAME"});
  command.add_option("--tasks", flags->tasks, "Number of tasks to show",
                     {.range = {{1, 1'000'000}}, .default_text = std::to_string(default_task_count), .needs = "NAME"});
  command.add_option(
      "--sheet", flags->sheet,
      "Draw the first ten images of each of these tasks, as the network sees them, with their labels: an "
      "SVG for any browser",
      {.value = "FILE.svg", .needs = "NAME"});
  command.add_flag("--json", flags->json, "Print JSON");
  command.set_action([flags] {
    flags->name.empty() ? list(*flags) : describe(*flags);
    return exit_done;
  });
}

}  // namespace cambium::cli
