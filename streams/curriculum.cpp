#include "streams/curriculum.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/shuffle.hpp"

namespace cambium {
namespace {

std::uint32_t quotient_up(std::uint32_t a, std::uint32_t b) { return a / b + (a % b != 0); }

}  // namespace

std::int32_t CurriculumSettings::periods_per_task() const {
  return entry().kind == StreamEntry::Kind::shifting ? 1 : epochs_per_task;
}

std::uint32_t CurriculumSettings::steps_through(std::uint32_t images, std::int32_t task) const {
  if (steps_per_task > 0) return static_cast<std::uint32_t>(steps_per_task);
  const std::uint32_t each = quotient_up(images, own_rows(task));
  return entry().kind == StreamEntry::Kind::shifting ? each * static_cast<std::uint32_t>(epochs_per_task) : each;
}

std::uint32_t CurriculumSettings::step_numbers(std::int32_t period) const {
  return steps_through(task_images, task_of(period));
}

std::uint64_t CurriculumSettings::first_step(std::int32_t period) const {
  // All tasks but the first have the same number of steps.
  const std::int32_t of_first = std::min(period, periods_per_task());
  const auto first = static_cast<std::uint64_t>(of_first), others = static_cast<std::uint64_t>(period - of_first);
  return first * step_numbers(0) + (others == 0 ? 0 : others * step_numbers(periods_per_task()));
}

std::uint32_t CurriculumSettings::rows() const {
  if (steps_per_task > 0) return batch;
  return std::min(batch, replay ? 2 * task_images : task_images);
}

Curriculum::Curriculum(const CurriculumSettings& settings, const Images& train, std::int32_t classes,
                       std::span<const std::uint32_t> seeds)
    : settings_(settings),
      entry_(settings.entry()),
      labels_(train.labels),
      by_class_(train.labels, classes),
      positions_(train.height * train.width) {
  for (const std::uint32_t seed : seeds) replicas_.push_back({.seed = seed});
}

Task Curriculum::task(std::size_t replica, std::int32_t task) const {
  if (entry_.make_task == nullptr) return {};
  return entry_.make_task({.seed = replicas_[replica].seed,
                           .task = task,
                           .data = by_class_,
                           .positions = positions_,
                           .images = settings_.task_images,
                           .keep_first = settings_.keep_first});
}

std::vector<Task> Curriculum::tasks(std::int32_t task) const {
  std::vector<Task> result;
  for (std::size_t r = 0; r < replicas_.size(); ++r) result.push_back(this->task(r, task));
  return result;
}

std::uint32_t Curriculum::image_count(const Task& task) const {
  return static_cast<std::uint32_t>(task.images.empty() ? labels_.size() : task.images.size());
}

std::vector<std::int32_t> Curriculum::classes_of(const Task& task) const {
  std::vector<std::int32_t> classes;
  if (task.images.empty()) {
    classes.resize(by_class_.images.size());
    std::iota(classes.begin(), classes.end(), 0);
    return classes;
  }
  for (const std::int32_t image : task.images) classes.push_back(labels_[static_cast<std::size_t>(image)]);
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

void Curriculum::go_to(std::int32_t period) {
  const std::int32_t task = settings_.task_of(period);
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    Replica& replica = replicas_[r];
    replica.pass = -1;
    if (task == task_) continue;
    replica.task = this->task(r, task);
    replica.images = image_count(replica.task);
    replica.steps = settings_.steps_through(replica.images, task);
    // The numbering of steps and the number of rows rely on this limit.
    expect(replica.images <= settings_.task_images, "task {} of seed {} has {} images, more than {}", task + 1,
           replica.seed, replica.images, settings_.task_images);
    if (!settings_.replay) continue;
    SeenImages seen;
    for (std::int32_t before = 0; before < task; ++before)
      for (const std::int32_t image : this->task(r, before).images)
        seen[labels_[static_cast<std::size_t>(image)]].push_back(image);
    replica.kept = kept_images(seen, settings_.limits, replica.seed);
  }
  period_ = period;
  task_ = task;
}

std::uint32_t Curriculum::steps() const {
  std::uint32_t most = 0;
  for (const auto& replica : replicas_) most = std::max(most, replica.steps);
  return most;
}

std::int32_t Curriculum::image_at(Replica& replica, std::uint64_t pass, std::uint32_t position) const {
  if (replica.pass != static_cast<std::int64_t>(pass)) {
    // A pass has its own random sequence: (task, pass) in a shifting stream, otherwise the epoch of the run.
    const auto sequence = entry_.kind == StreamEntry::Kind::shifting
                              ? static_cast<std::uint32_t>(task_) << 16 | static_cast<std::uint32_t>(pass)
                              : static_cast<std::uint32_t>(period_);
    replica.order = shuffled(replica.images, {{replica.seed, philox::data_order}}, sequence);
    replica.pass = static_cast<std::int64_t>(pass);
  }
  const std::int32_t place = replica.order[position];
  return replica.task.images.empty() ? place : replica.task.images[static_cast<std::size_t>(place)];
}

std::uint32_t Curriculum::fill(std::size_t r, std::uint32_t step, std::span<std::int32_t> rows) {
  Replica& replica = replicas_[r];
  std::fill(rows.begin(), rows.end(), -1);
  if (step >= replica.steps) return 0;
  const std::uint32_t own = settings_.own_rows(task_);
  std::uint32_t count = 0;
  if (settings_.steps_per_task > 0) {
    for (std::uint64_t draw = std::uint64_t{step} * own; count < own; ++draw)
      rows[count++] = image_at(replica, draw / replica.images, static_cast<std::uint32_t>(draw % replica.images));
    return count;
  }
  const std::uint32_t steps_per_pass = quotient_up(replica.images, own);
  const std::uint32_t first = step % steps_per_pass * own;
  for (std::uint32_t position = first; position < std::min(first + own, replica.images); ++position)
    rows[count++] = image_at(replica, step / steps_per_pass, position);
  const auto kept = static_cast<std::uint32_t>(replica.kept.size());
  const std::uint32_t replays = kept == 0 ? 0 : std::min(count, settings_.batch / 2);
  for (std::uint32_t row = 0; row < replays; ++row)
    rows[count++] = replica.kept[replayed(replica.seed, static_cast<std::uint32_t>(period_), step, row, kept)];
  return count;
}

std::vector<std::int32_t> Curriculum::sample(std::size_t replica, const Task& task, std::uint32_t amount,
                                             philox::Purpose purpose, std::uint32_t sequence) const {
  auto places = drawn(image_count(task), amount, {{replicas_[replica].seed, purpose}}, sequence);
  if (!task.images.empty())
    for (auto& place : places) place = task.images[static_cast<std::size_t>(place)];
  return places;
}

}  // namespace cambium
