// Keys of the length of a run: tasks, epochs, cycles and batches; and of replay.

#include <algorithm>

#include "lab/config/key_types.hpp"
#include "lab/config/study_presets.hpp"
#include "streams/data/catalogue.hpp"

namespace cambium {
namespace {

constexpr std::int32_t most_epochs = 1'000'000, default_cycles = 5;

bool is_whole(const RunConfig& config) { return config.stream().kind == StreamEntry::Kind::iid; }
bool has_steps(const RunConfig& config) { return config.stream().steps_per_task > 0; }

KeyCondition of_whole_data_sets() { return {"to whole data sets (data)", is_whole}; }
KeyCondition with_replay() {
  return {"with replay = tiny_er", [](const RunConfig& config) { return config.curriculum.replay; }};
}

// Cycles of a run end with an epoch of a whole data set, or with a task of a stream.
std::int32_t most_cycles(const RunConfig& config) {
  return is_whole(config) ? config.curriculum.epochs_per_task : config.curriculum.tasks;
}

void replace_epochs_per_cycle(ConfigText& given) {
  if (given.contains("epochs"))
    throw_input_error("epochs and epochs_per_cycle are both given; one follows from the other. Leave one of them out");
  if (!given.contains("cycles")) given["cycles"] = fmt::format("{}", default_cycles);
  const auto cycles = checked_count("cycles", given.at("cycles"), most_epochs);
  const auto each = checked_count("epochs_per_cycle", given.at("epochs_per_cycle"), most_epochs / cycles);
  given["epochs"] = fmt::format("{}", each * cycles);
  given.erase("epochs_per_cycle");
}

ConfigKey epochs_per_cycle_key() {
  ConfigKey key{.name = "epochs_per_cycle",
                .label = "epochs per cycle",
                .unit = "epochs",
                .help = "Epochs of each cycle; replaces epochs, which is then this times cycles",
                .default_value = {"none", {}},
                .condition = of_whole_data_sets()};
  key.placeholder = "N";
  key.values = fmt::format("a whole number from 1 to {} / cycles", most_epochs);
  key.replace = replace_epochs_per_cycle;
  return key;
}

// The member holds the opposite of the key.
ConfigKey permute_first_key() {
  auto key = yes_or_no(
      {.name = "permute_first",
       .label = "permute first task",
       .help = "Permute the pixels in the first task as well",
       .default_value = always("yes"),
       .condition = {"to permuted-mnist", [](const RunConfig& config) { return config.stream().permutes; }}},
      [](auto& config) -> auto& { return config.curriculum.keep_first; });
  key.set = [](RunConfig& config, const std::string& text) {
    config.curriculum.keep_first = !checked_yes("permute_first", text);
  };
  key.get = [](const RunConfig& config) { return nlohmann::ordered_json(!config.curriculum.keep_first); };
  return key;
}

void check_replay(const RunConfig& config) {
  if (config.curriculum.replay && config.curriculum.batch < 2)
    throw_input_error("batch = 1: half of a batch is replayed, so a batch needs 2 or more images");
}

std::vector<ConfigKey> duration_keys() {
  return {
      count(
          {.name = "tasks",
           .label = "tasks",
           .unit = "tasks",
           .help = "Number of tasks of the stream",
           .default_value = depends("the study's for the stream", [](const RunConfig& c) { return c.stream().tasks; }),
           .condition = {"to streams of several tasks", [](const RunConfig& config) { return !is_whole(config); }}},
          {"the most that the stream can have", [](const RunConfig& c) { return c.stream().most_tasks; }},
          [](auto& config) -> auto& { return config.curriculum.tasks; }),
      count(
          {.name = "steps_per_task",
           .label = "steps per task",
           .unit = "steps",
           .help = "Steps of each task",
           .default_value = depends("780", [](const RunConfig& config) { return config.stream().steps_per_task; }),
           .condition = {"to 5+1-cifar", has_steps}},
          1'000'000'000, [](auto& config) -> auto& { return config.curriculum.steps_per_task; }),
      count(
          {.name = "epochs_per_task",
           .label = "epochs per task",
           .unit = "epochs",
           .help = "Passes over the images of each task",
           .default_value = depends("the study's for the stream",
                                    [](const RunConfig& config) { return config.stream().epochs_per_task; }),
           .condition = {"to streams of several tasks, but not to 5+1-cifar",
                         [](const RunConfig& config) { return !is_whole(config) && !has_steps(config); }}},
          65'535, [](auto& config) -> auto& { return config.curriculum.epochs_per_task; }),
      epochs_per_cycle_key(),
      count(
          {.name = "epochs",
           .label = "epochs",
           .unit = "epochs",
           .help = "Epochs of the whole run",
           .default_value = depends("100 (MNIST, Fashion-MNIST), 200 (CIFAR)",
                                    [](const RunConfig& config) { return config.stream().epochs_per_task; }),
           .condition = of_whole_data_sets()},
          most_epochs, [](auto& config) -> auto& { return config.curriculum.epochs_per_task; }),
      count(
          {.name = "cycles",
           .label = "cycles",
           .unit = "cycles",
           .help = "Number of cycles that the epochs of a whole data set, or the tasks of a stream, are divided into; "
                   "edits take place between cycles",
           .default_value =
               depends(fmt::format("{} for whole data sets, at most one per epoch; else one per task", default_cycles),
                       [](const RunConfig& config) {
                         return is_whole(config) ? std::min(default_cycles, most_cycles(config)) : most_cycles(config);
                       })},
          {"the number of epochs or tasks", most_cycles}, [](auto& config) -> auto& { return config.cycles; }),
      count(
          {.name = "batch",
           .label = "batch size",
           .unit = "images",
           .help = "Images per step and network",
           .default_value = depends("the study's for the stream, 16 to 256",
                                    [](const RunConfig& c) { return study_preset(c.curriculum.stream).batch; })},
          65'536, [](auto& config) -> auto& { return config.curriculum.batch; }),
  };
}

std::vector<ConfigKey> task_keys() {
  return {
      count(
          {.name = "task_images",
           .label = "images per task",
           .unit = "images",
           .help = "Images of each task",
           .default_value = depends("10000 (permuted-mnist), 1200 (random labels)",
                                    [](const RunConfig& config) { return config.stream().task_images; }),
           .condition = {"to permuted-mnist and random labels",
                         [](const RunConfig& config) { return config.stream().choose_images; }}},
          {"the number of training images",
           [](const RunConfig& c) { return catalogue_entry(c.stream().data).train_images; }},
          [](auto& config) -> auto& { return config.curriculum.task_images; }),
      permute_first_key(),
      count(
          {.name = "evaluation_images",
           .label = "evaluation images",
           .unit = "images",
           .help = "Images of each earlier task on which the network is evaluated at the end of a task",
           .default_value = depends("500; 100 for more than 100 tasks",
                                    [](const RunConfig& config) { return config.curriculum.tasks > 100 ? 100 : 500; }),
           .condition = {"to shifting streams",
                         [](const RunConfig& c) { return c.stream().kind == StreamEntry::Kind::shifting; }}},
          1'000'000, [](auto& config) -> auto& { return config.evaluation_images; }),
      choice<bool>(
          {.name = "replay",
           .label = "replay",
           .help = "Replay of earlier tasks: from the second task on, half of every batch is images of earlier classes",
           .default_value = depends("tiny_er for split-mnist and split-fashion, else none",
                                    [](const RunConfig& config) {
                                      return study_preset(config.curriculum.stream).replay ? "tiny_er" : "none";
                                    }),
           .condition = {"to class-incremental streams",
                         [](const RunConfig& c) { return c.stream().kind == StreamEntry::Kind::class_incremental; }},
           .check = check_replay},
          {{"none", false}, {"tiny_er", true}}, [](auto& config) -> auto& { return config.curriculum.replay; }),
      count(
          {.name = "replay_per_class",
           .label = "replayed images per class",
           .unit = "images",
           .help = "Largest number of images of a class that replay keeps",
           .default_value = always(fmt::format("{}", ReplayLimits{}.per_class)),
           .condition = with_replay()},
          1'000'000, [](auto& config) -> auto& { return config.curriculum.limits.per_class; }),
      count(
          {.name = "replay_total",
           .label = "replayed images",
           .unit = "images",
           .help = "Largest number of images that replay keeps in total",
           .default_value = always(fmt::format("{}", ReplayLimits{}.in_all)),
           .condition = with_replay()},
          1'000'000, [](auto& config) -> auto& { return config.curriculum.limits.in_all; }),
  };
}

}  // namespace

std::vector<ConfigKey> length_keys() {
  auto keys = duration_keys();
  for (auto& key : task_keys()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace cambium
