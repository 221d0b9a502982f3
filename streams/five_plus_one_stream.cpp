// 5+1 CIFAR: hard tasks with five classes alternate with easy tasks with one class. No class occurs twice. Averages
// include only the hard tasks.

#include "streams/stream_table.hpp"

namespace cambium {
namespace {

constexpr std::int32_t hard_classes = 5, easy_classes = 1, classes_per_turn = hard_classes + easy_classes;

bool is_hard(std::int32_t task) { return task % 2 == 0; }

Task make_task(const TaskRequest& request) {
  const auto order = class_order(request);
  const std::int32_t first = request.task / 2 * classes_per_turn;
  const auto classes = is_hard(request.task)
                           ? std::span(order).subspan(static_cast<std::size_t>(first), hard_classes)
                           : std::span(order).subspan(static_cast<std::size_t>(first + hard_classes), easy_classes);
  return {.images = images_of(request, classes)};
}

}  // namespace

std::vector<StreamEntry> five_plus_one_streams() {
  return {{.name = "5+1-cifar",
           .description = "tasks of five classes and of one class alternate; only tasks of five classes count",
           .a_task = "five classes or one class, alternately, with all their images; no class occurs twice",
           .kind = StreamEntry::Kind::shifting,
           .data = "cifar-100",
           .classes = 100,
           .tasks = 30,
           .most_tasks = 2 * (100 / classes_per_turn),
           .task_images = 2'500,
           .fewest_images = 500,
           .steps_per_task = 780,
           .make_task = make_task,
           .counts = is_hard}};
}

}  // namespace cambium
