#include "streams/device_tasks.hpp"

#include <algorithm>
#include <numeric>

#include "streams/stream.hpp"

namespace cambium {
namespace {

// The lists of all tasks, (R, entries), with each entry in [least, bound). A task with an empty list gets the identity;
// if all lists are empty, the result is empty.
std::vector<std::int32_t> stacked(std::span<const Task> tasks, std::vector<std::int32_t> Task::*list,
                                  std::int32_t least, std::size_t bound) {
  std::size_t entries = 0;
  for (const auto& task : tasks) entries = std::max(entries, (task.*list).size());
  std::vector<std::int32_t> result;
  for (const auto& task : tasks) {
    auto row = task.*list;
    if (row.empty()) {
      row.resize(entries);
      std::iota(row.begin(), row.end(), 0);
    }
    expect(row.size() == entries, "tasks with lists of {} and {} entries", row.size(), entries);
    for (const std::int32_t entry : row)
      expect(entry >= least && (entry < 0 || static_cast<std::size_t>(entry) < (bound == 0 ? entries : bound)),
             "a task's list of {} entries has a {}", entries, entry);
    result.insert(result.end(), row.begin(), row.end());
  }
  return result;
}

}  // namespace

DeviceTasks::DeviceTasks(Device& device, std::span<const Task> tasks, std::int32_t number, std::int32_t output_classes)
    : number_(static_cast<std::uint32_t>(number)) {
  expect(number >= 0 && output_classes > 0, "task number {} for a network of {} classes", number, output_classes);
  pixels_ = Buffer<std::int32_t>(device, stacked(tasks, &Task::pixels, 0, 0));
  class_labels_ =
      Buffer<std::int32_t>(device, stacked(tasks, &Task::class_labels, -1, static_cast<std::size_t>(output_classes)));
  const auto with_random =
      std::count_if(tasks.begin(), tasks.end(), [](const Task& task) { return task.random_labels; });
  expect(with_random == 0 || static_cast<std::size_t>(with_random) == tasks.size(), "{} of {} tasks have random labels",
         with_random, tasks.size());
  if (with_random > 0) random_classes_ = static_cast<std::uint32_t>(output_classes);
}

}  // namespace cambium
