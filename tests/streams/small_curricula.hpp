// Curricula for tests: small copies of the study's streams, and their batches.
#pragma once

#include <gtest/gtest.h>

#include "lab/config/study_presets.hpp"
#include "streams/curriculum.hpp"
#include "tests/streams/made_labels.hpp"

namespace cambium {

using Numbers = std::vector<std::int32_t>;
using Seeds = std::vector<std::uint32_t>;

inline CurriculumSettings study(const std::string& name) { return study_settings(stream_entry(name)); }

// The images of a batch, without the empty rows.
inline Numbers batch_of(Curriculum& curriculum, std::size_t replica, std::uint32_t step) {
  Numbers rows(curriculum.settings().rows(), 99'999'999);
  const auto count = curriculum.fill(replica, step, rows);
  EXPECT_TRUE(std::all_of(rows.begin() + count, rows.end(), [](auto image) { return image == -1; }));
  rows.resize(count);
  return rows;
}

inline std::vector<Numbers> batches_of(Curriculum& curriculum, std::size_t replica) {
  std::vector<Numbers> batches;
  for (std::uint32_t step = 0; step < curriculum.steps(replica); ++step)
    batches.push_back(batch_of(curriculum, replica, step));
  return batches;
}

inline Numbers joined(const std::vector<Numbers>& batches) {
  Numbers all;
  for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

// Small copies of the study's streams.
struct Small {
  CurriculumSettings settings;
  Images images;
  std::int32_t classes = 10;

  Curriculum operator()(const Seeds& seeds) const { return {settings, images, classes, seeds}; }
};

// Digits have different numbers of images, and so have pairs.
inline const std::vector<std::size_t> digits{40, 67, 50, 61, 58, 30, 59, 63, 45, 60};

inline Small small_iid() {
  return {{.stream = "mnist", .epochs_per_task = 4, .task_images = 70, .batch = 8},
          images_labelled(made_labels(10, 7))};
}
inline Small small_split(bool replay = true) {
  return {{.stream = "split-mnist",
           .tasks = 5,
           .epochs_per_task = 3,
           .task_images = 130,
           .batch = 16,
           .replay = replay,
           .limits = {.per_class = 12, .in_all = 48}},
          images_labelled(labels_with_counts(digits))};
}
inline Small small_permuted() {
  return {{.stream = "permuted-mnist", .tasks = 6, .epochs_per_task = 2, .task_images = 30, .batch = 8},
          images_labelled(made_labels(10, 7))};
}
inline Small small_random_labels() {
  return {{.stream = "random-label-mnist", .tasks = 4, .epochs_per_task = 5, .task_images = 24, .batch = 8},
          images_labelled(made_labels(10, 7))};
}
// A pass over an easy task is shorter than a batch.
inline Small small_five_plus_one() {
  return {{.stream = "5+1-cifar", .tasks = 6, .steps_per_task = 25, .task_images = 35, .batch = 8},
          images_labelled(made_labels(100, 7)),
          100};
}
inline Small small_imagenet() {
  return {{.stream = "continual-imagenet", .tasks = 5, .epochs_per_task = 3, .task_images = 14, .batch = 5},
          images_labelled(made_labels(1000, 7)),
          1000};
}

inline std::vector<Small> all_small() {
  return {small_iid(),           small_split(),         small_split(false), small_permuted(),
          small_random_labels(), small_five_plus_one(), small_imagenet()};
}

}  // namespace cambium
