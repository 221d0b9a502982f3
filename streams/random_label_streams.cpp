// Random labels: the same few images in every task, each with a fresh label, to be learnt by heart.

#include "streams/stream_table.hpp"

namespace cambium {
namespace {

Task make_task(const TaskRequest& request) { return {.images = fixed_images(request), .random_labels = true}; }

StreamEntry random_labels(const std::string& name, const std::string& data) {
  return {.name = name,
          .description = "a fresh random label for every image in every task",
          .a_task = "the same images, drawn once for a seed, each with a label drawn for the task",
          .kind = StreamEntry::Kind::shifting,
          .data = data,
          .classes = 10,
          .tasks = 50,
          .most_tasks = 65'536,
          .task_images = 1'200,
          .choose_images = true,
          .epochs_per_task = 400,
          .batch = 16,
          .adam = true,
          .rate = 0.001,
          .slopes_rate = 0.001,
          .make_task = make_task};
}

}  // namespace

std::vector<StreamEntry> random_label_streams() {
  auto mnist = random_labels("random-label-mnist", "mnist"), cifar = random_labels("random-label-cifar", "cifar-10");
  mnist.slopes = {.c = 2.0, .p = 0.8, .lower = 0.3, .upper = 0.6};
  cifar.slopes = {.c = 0.8, .p = 3.0, .lower = 0.5, .upper = 0.5};
  cifar.standardised = true;
  cifar.network = "convnet";
  return {mnist, cifar};
}

}  // namespace cambium
