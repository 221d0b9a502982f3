// The tasks of R replicas (one per seed) in a stream, and the images of every batch.
//
// Training is divided into periods: an epoch, or a whole task of a shifting stream. Everything is a function of the
// settings and the seed, so a run can resume at any step, and a seed sees the same images alone and next to others.
//
// Tasks may have different numbers of images, so replicas may need different numbers of steps for a period. Steps are
// numbered as if every task were as large as the largest possible task, so that a step number means the same for all
// replicas. A replica that finishes its period early waits for the others.
#pragma once

#include "streams/data/images.hpp"
#include "streams/replay.hpp"
#include "streams/stream.hpp"

namespace cambium {

struct CurriculumSettings {
  std::string stream;
  std::int32_t tasks = 1;
  std::int32_t epochs_per_task = 0, steps_per_task = 0;  // one of them is 0
  std::uint32_t task_images = 0;                         // as in StreamEntry
  std::uint32_t batch = 0;
  bool keep_first = false;
  bool replay = false;
  ReplayLimits limits;

  const StreamEntry& entry() const { return stream_entry(stream); }
  std::int32_t periods_per_task() const;
  std::int32_t periods() const { return tasks * periods_per_task(); }
  std::int32_t task_of(std::int32_t period) const { return period / periods_per_task(); }
  // The number of a period's first step, and the count of step numbers of a period.
  std::uint64_t first_step(std::int32_t period) const;
  std::uint32_t step_numbers(std::int32_t period) const;
  std::uint64_t step_numbers() const { return first_step(periods()); }
  // Steps of a period of a task with this number of images.
  std::uint32_t steps_through(std::uint32_t images, std::int32_t task) const;
  // Rows of every batch. Rows without an image are ignored.
  std::uint32_t rows() const;
  // Images of the smallest possible task.
  std::uint32_t fewest_images() const { return entry().fewest_images > 0 ? entry().fewest_images : task_images; }
  // Images of the task itself in a full batch; the other images are replayed.
  std::uint32_t own_rows(std::int32_t task) const { return replay && task > 0 ? batch - batch / 2 : batch; }
};

class Curriculum {
 public:
  Curriculum(const CurriculumSettings& settings, const Images& train, std::int32_t classes,
             std::span<const std::uint32_t> seeds);

  const CurriculumSettings& settings() const { return settings_; }
  std::size_t replicas() const { return replicas_.size(); }

  // Task number `task` of a replica, from 0.
  Task task(std::size_t replica, std::int32_t task) const;
  std::vector<Task> tasks(std::int32_t task) const;  // of every replica
  std::uint32_t image_count(const Task& task) const;
  // The classes of the data set that occur in the task.
  std::vector<std::int32_t> classes_of(const Task& task) const;
  // Selects the period that the functions below refer to.
  void go_to(std::int32_t period);
  std::int32_t period() const { return period_; }
  const Task& task(std::size_t replica) const { return replicas_[replica].task; }
  std::uint32_t steps(std::size_t replica) const { return replicas_[replica].steps; }
  std::uint32_t steps() const;  // of the replica that needs the most
  // Writes the images of a step's batch: those of the task, then the replayed ones, then -1. Returns the number of
  // images. Steps in ascending order are cheapest: another pass needs another shuffle.
  std::uint32_t fill(std::size_t replica, std::uint32_t step, std::span<std::int32_t> rows);
  // The images that replay keeps during the period.
  const std::vector<std::int32_t>& kept(std::size_t replica) const { return replicas_[replica].kept; }
  // `amount` random images of a task. Draws differ by `purpose` and `sequence`.
  std::vector<std::int32_t> sample(std::size_t replica, const Task& task, std::uint32_t amount, philox::Purpose purpose,
                                   std::uint32_t sequence) const;

 private:
  struct Replica {
    std::uint32_t seed = 0;
    Task task;
    std::uint32_t images = 0, steps = 0;
    std::vector<std::int32_t> kept;
    std::vector<std::int32_t> order;  // of the images in pass `pass`
    std::int64_t pass = -1;
  };

  std::int32_t image_at(Replica& replica, std::uint64_t pass, std::uint32_t position) const;

  CurriculumSettings settings_;
  const StreamEntry& entry_;
  std::vector<std::uint16_t> labels_;
  ImagesByClass by_class_;
  std::int32_t positions_;
  std::vector<Replica> replicas_;
  std::int32_t period_ = -1, task_ = -1;
};

}  // namespace cambium
