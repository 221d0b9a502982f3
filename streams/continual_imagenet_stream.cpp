// Continual ImageNet: two classes of ImageNet in every task, to be told apart by one output of two; no class comes
// twice.

#include "streams/stream_table.hpp"

namespace cambium {
namespace {

Task make_task(const TaskRequest& request) {
  const auto order = class_order(request);
  const auto pair = std::span(order).subspan(static_cast<std::size_t>(2 * request.task), 2);
  Task task{.images = images_of(request, pair)};
  task.class_labels.assign(request.data.images.size(), -1);
  for (std::size_t i = 0; i < pair.size(); ++i)
    task.class_labels[static_cast<std::size_t>(pair[i])] = static_cast<std::int32_t>(i);
  return task;
}

}  // namespace

std::vector<StreamEntry> continual_imagenet_streams() {
  return {{.name = "continual-imagenet",
           .description = "pairs of classes, to be told apart by the same two outputs",
           .a_task = "two classes, called 0 and 1, with all their images; no class comes twice",
           .kind = StreamEntry::Kind::shifting,
           .data = "imagenet-32",
           .classes = 2,
           .tasks = 500,
           .most_tasks = 500,
           .task_images = 1'200,
           .epochs_per_task = 10,
           .batch = 100,
           .adam = true,
           .rate = 0.001,
           .slopes_rate = 0.001,
           .standardised = true,
           .slopes = {.c = 0.5, .p = 0.5, .lower = 0.3, .upper = 0.3},
           .network = "convnet",
           .make_task = make_task}};
}

}  // namespace cambium
