// Split streams: the classes of a data set are shuffled and divided into groups, and each task trains on the next
// group. The output has all classes in every task.

#include <algorithm>

#include "streams/stream_table.hpp"

namespace cambium {
namespace {

template <std::int32_t classes_per_task>
Task make_task(const TaskRequest& request) {
  const auto order = class_order(request);
  const auto first = static_cast<std::size_t>(request.task * classes_per_task);
  return {.images = images_of(request, std::span(order).subspan(first, classes_per_task))};
}

StreamEntry pairs(const std::string& name, const std::string& data, std::uint32_t smallest, std::uint32_t largest) {
  return {.name = name,
          .description = "five pairs of classes, one after another",
          .a_task = "two classes, drawn at random, with all their images; no class occurs twice",
          .kind = StreamEntry::Kind::class_incremental,
          .data = data,
          .classes = 10,
          .tasks = 5,
          .most_tasks = 5,
          .task_images = largest,
          .fewest_images = smallest,
          .epochs_per_task = 20,
          .make_task = make_task<2>};
}

}  // namespace

std::vector<StreamEntry> split_streams() {
  return {pairs("split-mnist", "mnist", 11'263, 13'007),  // digits 4 and 5; digits 1 and 7
          pairs("split-fashion", "fashion-mnist", 12'000, 12'000),
          {.name = "split-cifar100",
           .description = "ten groups of ten classes, one after another",
           .a_task = "ten classes, drawn at random, with all their images; no class occurs twice",
           .kind = StreamEntry::Kind::class_incremental,
           .data = "cifar-100",
           .classes = 100,
           .tasks = 10,
           .most_tasks = 10,
           .task_images = 5'000,
           .epochs_per_task = 20,
           .make_task = make_task<10>}};
}

}  // namespace cambium
