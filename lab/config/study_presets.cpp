#include "lab/config/study_presets.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace cambium {
namespace {

constexpr auto adam = OptimizerSettings::Kind::adam;

const std::vector<StudyPreset>& presets() {
  static const std::vector<StudyPreset> all{
      {.stream = "mnist"},
      {.stream = "fashion-mnist"},
      {.stream = "cifar-10",
       .network = "convnet",
       .batch = 128,
       .rate = 0.1,
       .rate_with_slopes = 0.1,
       .standardised = true,
       .augment = true,
       .slopes = {.c = 3.0, .p = 5.0, .lower = 0.125, .upper = 0.333}},
      {.stream = "cifar-100",
       .network = "convnet",
       .batch = 128,
       .rate = 0.1,
       .rate_with_slopes = 0.1,
       .standardised = true,
       .augment = true,
       .slopes = {.c = 3.0, .p = 5.0, .lower = 0.125, .upper = 0.333}},
      {.stream = "split-mnist", .replay = true},
      {.stream = "split-fashion", .replay = true},
      {.stream = "split-cifar100",
       .network = "convnet",
       .batch = 128,
       .optimizer = adam,
       .rate = 0.001,
       .rate_with_slopes = 0.0001,
       .standardised = true,
       .slopes = {.c = 0.5, .p = 0.5, .lower = 0.673, .upper = 2.673}},
      {.stream = "permuted-mnist", .batch = 16, .optimizer = adam, .rate = 0.001, .rate_with_slopes = 0.001},
      {.stream = "random-label-mnist",
       .batch = 16,
       .optimizer = adam,
       .rate = 0.001,
       .rate_with_slopes = 0.001,
       .slopes = {.c = 2.0, .p = 0.8, .lower = 0.3, .upper = 0.6}},
      {.stream = "random-label-cifar",
       .network = "convnet",
       .batch = 16,
       .optimizer = adam,
       .rate = 0.001,
       .rate_with_slopes = 0.001,
       .standardised = true,
       .slopes = {.c = 0.8, .p = 3.0, .lower = 0.5, .upper = 0.5}},
      {.stream = "5+1-cifar",
       .network = "convnet",
       .batch = 32,
       .optimizer = adam,
       .rate = 0.001,
       .rate_with_slopes = 0.001,
       .standardised = true,
       .slopes = {.c = 0.5, .p = 0.5, .lower = 0.673, .upper = 2.673}},
      {.stream = "continual-imagenet",
       .network = "convnet",
       .batch = 100,
       .optimizer = adam,
       .rate = 0.001,
       .rate_with_slopes = 0.001,
       .standardised = true,
       .slopes = {.c = 0.5, .p = 0.5, .lower = 0.3, .upper = 0.3}},
  };
  return all;
}

}  // namespace

const StudyPreset& study_preset(const std::string& stream) {
  const auto found =
      std::find_if(presets().begin(), presets().end(), [&](const auto& preset) { return preset.stream == stream; });
  expect(found != presets().end(), "the stream {} has no preset; add one to lab/config/study_presets.cpp", stream);
  return *found;
}

CurriculumSettings study_settings(const StreamEntry& entry) {
  const StudyPreset& preset = study_preset(entry.name);
  return {.stream = entry.name,
          .tasks = entry.tasks,
          .epochs_per_task = entry.epochs_per_task,
          .steps_per_task = entry.steps_per_task,
          .task_images = entry.task_images,
          .batch = preset.batch,
          .replay = preset.replay};
}

}  // namespace cambium
