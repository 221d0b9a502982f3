// Streams: what a learner is shown, task after task.
//
// A stream says what its tasks are, as a pure function of the seed: the same for every method. It is added by a file
// with its entry, and a line in stream.cpp (docs/streams.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/philox.hpp"

namespace cambium {

// What a task shows of a data set's training images. An empty list changes nothing.
struct Task {
  std::vector<std::int32_t> images;        // in ascending order; empty: all of them
  std::vector<std::int32_t> pixels;        // position i shows the pixel of position pixels[i]
  std::vector<std::int32_t> class_labels;  // what it calls each class of the data set, -1 for those it does not have
  bool random_labels = false;              // instead, every image has a random_label() of its own
};

// What a stream may look at to make a task.
// All training images of a data set, by their class, each in their order.
struct ImagesByClass {
  ImagesByClass(std::span<const std::uint16_t> labels, std::int32_t classes);

  std::vector<std::vector<std::int32_t>> images;  // (classes)
  std::uint32_t count = 0;                        // in all
};

struct TaskRequest {
  std::uint32_t seed = 0;
  std::int32_t task = 0;  // from 0
  const ImagesByClass& data;
  std::int32_t positions = 0;  // of an image: height x width
  std::uint32_t images = 0;    // that a task is to have, where the stream leaves a choice
  bool keep_first = false;     // the first task shows the images as they are, where the others permute them

  philox::Key key() const { return {{seed, philox::tasks}}; }
};

struct StreamEntry {
  enum class Kind {
    iid,                // one task, the whole data set, tested after every epoch
    class_incremental,  // every task has classes of its own; tested on those so far after every epoch
    shifting,           // one thing in ever new guises; what counts is the accuracy on images as they arrive
  };
  // Of Rand. Smooth-Leaky.
  struct Slopes {
    double c = 0.8, p = 1.0, lower = 0.3, upper = 0.6;
  };

  std::string name, description;
  std::string a_task;  // what a task is, and what changes from one to the next
  Kind kind = Kind::iid;
  std::string data;          // the data set, by its name in the catalogue
  std::int32_t classes = 0;  // of the network's output

  // The study's length, and its limits. 65 536 tasks at most: curriculum.cpp tells their orders apart by 16 bits.
  std::int32_t tasks = 1, most_tasks = 1;
  std::uint32_t task_images = 0;     // images of a task, or of the largest there can be
  std::uint32_t fewest_images = 0;   // of the smallest, where tasks differ
  bool choose_images = false;        // whether another number may be asked for
  std::int32_t epochs_per_task = 0;  // passes over a task's images, or
  std::int32_t steps_per_task = 0;   // steps, cut from passes that follow each other without a gap
  std::uint32_t batch = 256;

  // The study's settings.
  bool replay = false;  // Tiny ER
  bool adam = false;    // Adam at a constant rate; else SGD under a cosine
  double rate = 0.01;
  double slopes_rate = 0.01;  // with Rand. Smooth-Leaky
  bool standardised = false, augment = false;
  Slopes slopes;
  std::string network = "mlp";

  bool permutes = false;                            // whether its first task may be kept as it is
  Task (*make_task)(const TaskRequest&) = nullptr;  // none: everything, as it is
  bool (*counts)(std::int32_t task) = nullptr;      // whether a task's accuracy enters averages; none: all do
};

// Whether a task's accuracy enters averages.
bool task_counts(const StreamEntry& entry, std::int32_t task);

std::span<const StreamEntry> streams();
std::vector<std::string> stream_names();
// The entry of that name; an InputError names the nearest one.
const StreamEntry& stream_entry(const std::string& name);

// Pieces that tasks are made of.

// As many training images as asked for, the same in every task of a seed.
std::vector<std::int32_t> fixed_images(const TaskRequest& request);
// All classes of the data set in a random order.
std::vector<std::int32_t> class_order(const TaskRequest& request);
// The training images of some classes.
std::vector<std::int32_t> images_of(const TaskRequest& request, std::span<const std::int32_t> classes);

}  // namespace cambium
