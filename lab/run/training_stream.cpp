#include "lab/run/training_stream.hpp"

namespace cambium {
namespace {

DeviceImages to_device(Device& device, const RunConfig& config, const DataSet& data, Images& images) {
  const auto normalisation = config.standardised ? Normalisation::standardised(data.mean, data.deviation)
                                                 : Normalisation::unit(data.train.channels);
  DeviceImages result(device, images, normalisation);
  images.pixels = {};
  return result;
}

}  // namespace

TrainingStream::TrainingStream(Device& device, const RunConfig& config, DataSet& data)
    : device_(device),
      config_(config),
      curriculum_(config.curriculum, data.train, data.classes, config.seeds),
      train_(to_device(device, config, data, data.train)) {
  if (config.stream().kind != StreamEntry::Kind::shifting) test_.emplace(to_device(device, config, data, data.test));
}

void TrainingStream::persist(Archive& archive) {
  const auto replicas = static_cast<std::int64_t>(curriculum_.replicas());
  auto replay = curriculum_.period() == archive.at().period ? kept() : std::vector<std::int32_t>{};
  archive.optional_values("replay.images", {replicas, -1}, replay);
  if (!archive.loading() || replay.empty()) return;
  enter_period(archive.at().period);
  if (replay != kept())
    throw_input_error("{}: the images kept for replay are not those of this run; the file is damaged",
                      archive.source());
}

void TrainingStream::enter_period(std::int32_t period) {
  curriculum_.go_to(period);
  const std::int32_t task = config_.curriculum.task_of(period);
  if (task == task_number_) return;
  task_.emplace(device_, curriculum_.tasks(task), task, config_.stream().classes);
  task_number_ = task;
}

// (R, images)
std::vector<std::int32_t> TrainingStream::kept() const {
  std::vector<std::int32_t> all;
  for (std::size_t r = 0; r < curriculum_.replicas(); ++r)
    all.insert(all.end(), curriculum_.kept(r).begin(), curriculum_.kept(r).end());
  return all;
}

}  // namespace cambium
