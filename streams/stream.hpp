// Streams: sequences of tasks to learn.
//
// The tasks of a stream are a pure function of the seed, so every method sees the same ones. A stream describes only
// its tasks; how the study trains on it is a preset (lab/config/study_presets.hpp). docs/streams.md says how to add
// one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/philox.hpp"

namespace cambium {

// The training images of a task, and how they are changed. An empty list changes nothing.
struct Task {
  std::vector<std::int32_t> images;        // in ascending order; empty: all images
  std::vector<std::int32_t> pixels;        // position i shows the pixel of position pixels[i]
  std::vector<std::int32_t> class_labels;  // the label of each class of the data set; -1: the task lacks the class
  bool random_labels = false;              // every image has its random_label() instead
};

// All training images of a data set, by class, in ascending order.
struct ImagesByClass {
  ImagesByClass(std::span<const std::uint16_t> labels, std::int32_t classes);

  std::vector<std::vector<std::int32_t>> images;  // (classes)
  std::uint32_t count = 0;                        // of all classes
};

// The input of a stream's make_task().
struct TaskRequest {
  std::uint32_t seed = 0;
  std::int32_t task = 0;  // from 0
  const ImagesByClass& data;
  std::int32_t positions = 0;  // height x width of an image
  std::uint32_t images = 0;    // number of images of a task, for streams that let the user choose it
  bool keep_first = false;     // the first task does not permute the pixels

  philox::Key key() const { return {{seed, philox::tasks}}; }
};

struct StreamEntry {
  enum class Kind {
    iid,                // one task, the whole data set; tested after every epoch
    class_incremental,  // every task has its own classes; tested on all classes so far after every epoch
    shifting,           // the task changes over and over; measured by the accuracy on each batch before it is learnt
  };
  std::string name, description;
  std::string a_task;  // describes a task, and what changes from one task to the next
  Kind kind = Kind::iid;
  std::string data;          // the data set, by its name in the catalogue
  std::int32_t classes = 0;  // of the network's output

  // The length in the study, and the limits. A stream has at most 65 536 tasks, because curriculum.cpp numbers the
  // orders of a task's images with the task in the upper 16 bits.
  std::int32_t tasks = 1, most_tasks = 1;
  std::uint32_t task_images = 0;     // images of a task; of the largest possible task if tasks differ
  std::uint32_t fewest_images = 0;   // images of the smallest possible task if tasks differ
  bool choose_images = false;        // the user may choose task_images
  std::int32_t epochs_per_task = 0;  // passes over a task's images; or
  std::int32_t steps_per_task = 0;   // steps: consecutive passes, cut into full batches

  bool permutes = false;                            // tasks permute the pixels, so keep_first has an effect
  Task (*make_task)(const TaskRequest&) = nullptr;  // null: all images, unchanged
  bool (*counts)(std::int32_t task) = nullptr;      // true if averages include the task's accuracy; null: all tasks
};

// Returns true if averages include the task's accuracy.
bool task_counts(const StreamEntry& entry, std::int32_t task);

std::span<const StreamEntry> streams();
std::vector<std::string> stream_names();
// Throws InputError for an unknown name, and names the nearest one.
const StreamEntry& stream_entry(const std::string& name);

// Parts from which streams make tasks.

// request.images training images, the same ones in every task of a seed.
std::vector<std::int32_t> fixed_images(const TaskRequest& request);
// All classes of the data set in a random order.
std::vector<std::int32_t> class_order(const TaskRequest& request);
// The training images of the classes, in ascending order.
std::vector<std::int32_t> images_of(const TaskRequest& request, std::span<const std::int32_t> classes);

}  // namespace cambium
