#include "lab/training/edit_session.hpp"

#include <chrono>

#include "lab/training/event_batch.hpp"
#include "sycl/device.hpp"

namespace cambium {

EditSession::EditSession(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
                         const DeviceImages& images, std::int32_t event)
    : device_(device),
      config_(config),
      trainer_(trainer),
      images_(images),
      time_{config.events(), event, target_units(config, trainer.compaction().full().architecture)},
      seeds_(device, config.seeds),
      batch_(device, scoring_batch(config, curriculum, event)),
      task_(device, tasks_after(config, curriculum, event), task_after(config, event), config.stream().classes),
      pass_(device, trainer.compaction().full(), config.activation, config.seeds,
            static_cast<std::uint32_t>(batch_.size() / trainer.replicas()), trainer.trunk()),
      edit_(begin_edit(trainer.compaction().structure(), time_)) {
  load_batch();
  open();
}

std::vector<std::int32_t> EditSession::scoring_batch(const RunConfig& config, const Curriculum& curriculum,
                                                     std::int32_t event) {
  return event_images(config, curriculum, event, event_rows(config), philox::scoring_batch);
}

void EditSession::load_batch() {
  device_.wait();
  const auto start = std::chrono::steady_clock::now();
  images_.gather(device_,
                 {.indices = batch_,
                  .replicas = static_cast<std::uint32_t>(trainer_.replicas()),
                  .rows = pass_.rows(),
                  .seeds = seeds_,
                  .task = task_},
                 pass_.input(), pass_.labels());
  device_.wait();
  seconds_loading_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void EditSession::open() {
  if (!networks_) networks_.emplace(trainer_.begin_edit());
}

void EditSession::close() {
  if (!networks_) return;
  networks_.reset();
  trainer_.end_edit(edit_.after);
}

void EditSession::score() { compute_scores(edit_, time_, context(), config_.grow); }

void EditSession::choose() { choose_units(edit_, time_); }

void EditSession::apply() { apply_edit(edit_, time_, context(), config_.grow); }

void EditSession::publish() { close(); }

void EditSession::rewind(View<const float> target) {
  if (config_.method != Method::prune) return;
  if (!networks_) load_batch();  // observers may have overwritten the images in the shared trunk
  open();
  rewind_edit(edit_, context(), config_.rewind, target);
}

void EditSession::end() { close(); }

}  // namespace cambium
