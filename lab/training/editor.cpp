#include "lab/training/editor.hpp"

#include <chrono>
#include <optional>

#include "lab/training/event_batch.hpp"
#include "sycl/device.hpp"

namespace cambium {

Editor::Editor(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
               const DeviceImages& images)
    : device_(device),
      config_(config),
      curriculum_(curriculum),
      trainer_(trainer),
      images_(images),
      seeds_(device, config.seeds) {}

void Editor::set_rewind_target(std::span<const float> parameters) {
  rewind_target_ = Buffer<float>(device_, parameters);
}

std::vector<std::int32_t> Editor::scoring_batch(const RunConfig& config, const Curriculum& curriculum,
                                                std::int32_t event) {
  return event_images(config, curriculum, event, event_rows(config), philox::scoring_batch);
}

void Editor::bring_batch(View<const std::int32_t> indices, const TaskView& task, ScoringPass& stage) {
  device_.wait();
  const auto start = std::chrono::steady_clock::now();
  images_.gather(device_,
                 {.indices = indices,
                  .replicas = static_cast<std::uint32_t>(trainer_.replicas()),
                  .rows = stage.rows(),
                  .seeds = seeds_,
                  .task = task},
                 stage.input(), stage.labels());
  device_.wait();
  seconds_on_batch_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Edit Editor::edit(std::int32_t event, const std::function<void(const Edit&)>& masked) {
  const Buffer<std::int32_t> batch(device_, scoring_batch(config_, curriculum_, event));
  const DeviceTasks task(device_, tasks_after(config_, curriculum_, event), task_after(config_, event),
                         config_.stream().classes);
  ScoringPass stage(device_, trainer_.compaction().full(), config_.activation, config_.seeds,
                    static_cast<std::uint32_t>(batch.size() / trainer_.replicas()), trainer_.trunk());
  seconds_on_batch_ = 0;
  bring_batch(batch, task, stage);
  const Structure before = trainer_.compaction().structure();
  const EditTime time{config_.events(), event, target_units(config_, trainer_.compaction().full().architecture)};
  std::optional<Edit> edit;
  const auto rewind_now = [&](const FullForm& networks) {
    const RewindSettings& settings = config_.rewind;
    if (config_.method != Method::prune || settings.to == RewindSettings::To::none) return;
    if (!settings.when_nothing && edit->changes_nothing()) return;
    rewind(device_, settings, rewind_target_, networks);
    edit->loss_rewound = stage.look(networks.parameters, false);
  };
  trainer_.edit([&](const FullForm& networks) {
    if (config_.method == Method::grow) {
      edit = grow(device_, networks, before, time, config_.seeds, config_.activation, config_.grow, stage);
    } else {
      edit = prune(device_, networks, before, time, stage);
      clear_moments_of_removed(device_, before, edit->after, networks);
    }
    if (!masked) rewind_now(networks);
    return edit->after;
  });
  if (masked) {
    masked(*edit);
    if (config_.method == Method::prune)
      trainer_.edit([&](const FullForm& networks) {
        bring_batch(batch, task, stage);  // others may have had images in the trunk they share
        rewind_now(networks);
        return edit->after;
      });
  }
  seconds_on_batch_ += stage.seconds();
  return *edit;
}

}  // namespace cambium
