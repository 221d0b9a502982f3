// Permuted MNIST: the same images in every task, with the pixels in a new order. Each task is one epoch.

#include <numeric>

#include "base/shuffle.hpp"
#include "streams/stream_table.hpp"

namespace cambium {
namespace {

Task make_task(const TaskRequest& request) {
  Task task{.images = fixed_images(request)};
  if (request.task == 0 && request.keep_first) return task;
  task.pixels = shuffled(static_cast<std::uint32_t>(request.positions), request.key(),
                         1 + static_cast<std::uint32_t>(request.task));
  return task;
}

}  // namespace

std::vector<StreamEntry> permuted_streams() {
  return {{.name = "permuted-mnist",
           .description = "the pixels are in a new order in every task",
           .a_task = "the same images, drawn once for a seed, with their pixels in an order drawn for the task",
           .kind = StreamEntry::Kind::shifting,
           .data = "mnist",
           .classes = 10,
           .tasks = 500,
           .most_tasks = 65'536,
           .task_images = 10'000,
           .choose_images = true,
           .epochs_per_task = 1,
           .permutes = true,
           .make_task = make_task}};
}

}  // namespace cambium
