// Random labels: the same few images in every task, each with a new random label, to be memorized.

#include "streams/stream_table.hpp"

namespace cambium {
namespace {

Task make_task(const TaskRequest& request) { return {.images = fixed_images(request), .random_labels = true}; }

StreamEntry random_labels(const std::string& name, const std::string& data) {
  return {.name = name,
          .description = "every image has a new random label in every task",
          .a_task = "the same images, drawn once for a seed, each with a label drawn for the task",
          .kind = StreamEntry::Kind::shifting,
          .data = data,
          .classes = 10,
          .tasks = 50,
          .most_tasks = 65'536,
          .task_images = 1'200,
          .choose_images = true,
          .epochs_per_task = 400,
          .make_task = make_task};
}

}  // namespace

std::vector<StreamEntry> random_label_streams() {
  return {random_labels("random-label-mnist", "mnist"), random_labels("random-label-cifar", "cifar-10")};
}

}  // namespace cambium
