#include "lab/training/event_batch.hpp"

#include <algorithm>

namespace cambium {

std::uint32_t event_rows(const RunConfig& config) {
  return std::min(config.curriculum.batch, config.curriculum.fewest_images());
}

std::int32_t task_after(const RunConfig& config, std::int32_t event) {
  return config.curriculum.task_of(config.cycle_end(event));
}

std::vector<Task> tasks_after(const RunConfig& config, const Curriculum& curriculum, std::int32_t event) {
  return curriculum.tasks(task_after(config, event));
}

std::vector<std::int32_t> event_images(const RunConfig& config, const Curriculum& curriculum, std::int32_t event,
                                       std::uint32_t amount, philox::Purpose purpose) {
  std::vector<std::int32_t> images;
  const auto tasks = tasks_after(config, curriculum, event);
  for (std::size_t r = 0; r < tasks.size(); ++r) {
    const auto own = curriculum.sample(r, tasks[r], amount, purpose, static_cast<std::uint32_t>(event));
    images.insert(images.end(), own.begin(), own.end());
  }
  return images;
}

}  // namespace cambium
