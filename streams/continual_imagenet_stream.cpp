// Continual ImageNet: each task is to distinguish two classes of ImageNet with the same two outputs. No class occurs
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
           .description = "pairs of classes, to be distinguished by the same two outputs",
           .a_task = "two classes, labelled 0 and 1, with all their images; no class occurs twice",
           .kind = StreamEntry::Kind::shifting,
           .data = "imagenet-32",
           .classes = 2,
           .tasks = 500,
           .most_tasks = 500,
           .task_images = 1'200,
           .epochs_per_task = 10,
           .make_task = make_task}};
}

}  // namespace cambium
