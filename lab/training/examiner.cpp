#include "lab/training/examiner.hpp"

#include "lab/results/task_scores.hpp"
#include "sycl/device.hpp"

namespace cambium {

Examiner::Examiner(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
                   const DeviceImages& train, const DeviceImages* test, std::vector<std::uint16_t> test_labels)
    : device_(device),
      config_(config),
      curriculum_(curriculum),
      trainer_(trainer),
      train_(train),
      test_(test),
      test_labels_(std::move(test_labels)) {
  if (test_ == nullptr) return;
  classes_.resize(curriculum.replicas());
  for (std::size_t r = 0; r < curriculum.replicas(); ++r)
    for (std::int32_t task = 0; task < config.curriculum.tasks; ++task)
      classes_[r].push_back(curriculum.classes_of(curriculum.task(r, task)));
}

TaskEvaluation Examiner::examine(std::int32_t task) {
  TaskEvaluation result;
  for (std::int32_t k = 0; k <= task; ++k)
    if (counts(config_, k)) result.tasks.push_back(k);
  const std::size_t all = result.tasks.size() * curriculum_.replicas();
  result.accuracy.resize(all);
  result.images.resize(all);
  result.cumulative.resize(curriculum_.replicas());
  result.pooled.resize(curriculum_.replicas());
  result.loss.resize(curriculum_.replicas());
  if (test_ != nullptr)
    examine_classes(result);
  else
    examine_own_images(result);
  return result;
}

void Examiner::examine_classes(TaskEvaluation& result) {
  const auto evaluation = trainer_.evaluate(*test_, test_labels_);
  const std::size_t tasks = result.tasks.size(), classes = evaluation.images.size();
  for (std::size_t r = 0; r < curriculum_.replicas(); ++r) {
    double all_correct = 0, all_images = 0;
    for (std::size_t k = 0; k < tasks; ++k) {
      std::uint32_t correct = 0, images = 0;
      for (const std::int32_t label : classes_[r][static_cast<std::size_t>(result.tasks[k])]) {
        const auto c = static_cast<std::size_t>(label);
        correct += evaluation.correct[r * classes + c];
        images += evaluation.images[c];
        result.loss[r] += evaluation.loss[r * classes + c];
      }
      result.accuracy[r * tasks + k] = static_cast<double>(correct) / images;
      result.images[r * tasks + k] = images;
      result.cumulative[r] += result.accuracy[r * tasks + k] / static_cast<double>(tasks);
      all_correct += correct;
      all_images += images;
    }
    result.pooled[r] = all_correct / all_images;
    result.loss[r] /= all_images;
  }
}

void Examiner::examine_own_images(TaskEvaluation& result) {
  const std::size_t tasks = result.tasks.size(), replicas = curriculum_.replicas();
  const std::uint32_t count = evaluated_images_per_task(config_);
  std::vector<double> correct(replicas, 0.0);
  for (std::size_t k = 0; k < tasks; ++k) {
    const auto own = curriculum_.tasks(result.tasks[k]);
    std::vector<std::int32_t> images;
    for (std::size_t r = 0; r < replicas; ++r) {
      const auto sample =
          curriculum_.sample(r, own[r], count, philox::examination, static_cast<std::uint32_t>(result.tasks[k]));
      images.insert(images.end(), sample.begin(), sample.end());
    }
    const DeviceTasks shown(device_, own, result.tasks[k], config_.stream().classes);
    const auto evaluation = trainer_.evaluate_own(train_, images, shown);
    for (std::size_t r = 0; r < replicas; ++r) {
      result.accuracy[r * tasks + k] = evaluation.correct[r] / static_cast<double>(count);
      result.images[r * tasks + k] = count;
      correct[r] += evaluation.correct[r];
      result.loss[r] += evaluation.loss[r] / static_cast<double>(tasks);
    }
  }
  for (std::size_t r = 0; r < replicas; ++r)  // All tasks have equally many images.
    result.cumulative[r] = result.pooled[r] = correct[r] / (static_cast<double>(tasks) * count);
}

}  // namespace cambium
