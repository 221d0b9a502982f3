#include "lab/run/edits.hpp"

#include <spdlog/spdlog.h>

#include <chrono>

#include "lab/run/checkpoint_checks.hpp"
#include "lab/training/edit_session.hpp"
#include "lab/training/newborn_speeds.hpp"
#include "plasticity/budget.hpp"

namespace cambium {

Edits::Edits(Device& device, const RunConfig& config, const Curriculum& curriculum, Trainer& trainer,
             const DeviceImages& images)
    : device_(device), config_(config), curriculum_(curriculum), trainer_(trainer), images_(images) {
  for (const std::int32_t width : trainer.settings().architecture.hidden)
    if (config.edits()) births_.emplace_back(trainer.replicas() * static_cast<std::size_t>(width), -1);
  if (config.method == Method::prune && config.rewind.to == RewindSettings::To::init)
    rewind_target_ = Buffer<float>(device, initial_values(config, trainer.compaction().full(), false));
}

void Edits::persist(Archive& archive) {
  const auto& at = archive.at();
  const auto& full = trainer_.compaction().full();
  for (std::size_t layer = 0; layer < births_.size(); ++layer)
    archive.values("birth." + full.architecture.hidden_name(layer), {full.replicas, full.architecture.hidden[layer]},
                   births_[layer]);
  if (archive.loading()) {
    const auto& structure = trainer_.compaction().structure();
    check_active_units(archive.source(), config_, full.architecture, structure, at.events);
    check_births(archive.source(), config_, full.architecture, structure, births_, at.events);
    if (at.ticket) rewind_target_ = {};
  }
  const bool rewinds_to_snapshot = config_.method == Method::prune && config_.rewind.to == RewindSettings::To::snapshot;
  if (!rewinds_to_snapshot || at.ticket || at.period < config_.rewind.epoch) return;
  archive.parameters(
      "rewind.", full, [&] { return snapshot_; },
      [&](const auto& values) {
        snapshot_ = values;
        rewind_target_ = Buffer<float>(device_, values);
      });
}

Edit Edits::run(std::int32_t event, const std::vector<RunObserver*>& observers) {
  const auto start = std::chrono::steady_clock::now();
  for (RunObserver* observer : observers) observer->before_edit(event);
  EditSession session(device_, config_, curriculum_, trainer_, images_, event);
  session.score();
  session.choose();
  session.apply();
  add_births(session.edit());
  if (config_.diagnostics) {
    session.publish();
    for (RunObserver* observer : observers) observer->masks_changed(session.edit());
  }
  session.rewind(rewind_target_);
  session.end();
  next_speed_change_ = 0;
  spdlog::debug("edit {} took {:.3f} s, of which {:.3f} s on its batch", event,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
                session.seconds_on_batch());
  return session.edit();
}

void Edits::add_births(const Edit& edit) {
  for (std::size_t layer = 0; config_.method == Method::grow && layer < edit.choices.size(); ++layer)
    for (std::size_t r = 0; r < trainer_.replicas(); ++r)
      for (const std::int32_t unit : edit.choices[layer][r].units)
        births_[layer][r * static_cast<std::size_t>(edit.after.full_width(layer)) + static_cast<std::size_t>(unit)] =
            static_cast<std::int32_t>(edit.event);
}

void Edits::end_period(const ProgressSnapshot& at) {
  if (config_.rewind.to != RewindSettings::To::snapshot || at.ticket || at.period != config_.rewind.epoch) return;
  snapshot_ = trainer_.parameters();
  rewind_target_ = Buffer<float>(device_, snapshot_);
}

void Edits::begin_ticket() {
  snapshot_ = {};
  rewind_target_ = {};
}

void Edits::set_speeds(const ProgressSnapshot& at, std::uint64_t step) {
  if (at.ticket || step < next_speed_change_) return;
  const auto speeds = newborn_speeds(config_, births_, at.events, step);
  trainer_.set_speeds(speeds.factors);
  next_speed_change_ = speeds.until;
}

Structure initial_structure(const RunConfig& config, const Architecture& architecture) {
  const auto replicas = static_cast<std::int32_t>(config.seeds.size());
  if (config.edits()) return start_of_edits(config, architecture);
  if (config.masks == "all") return {architecture, replicas};
  if (config.masks == "random") return random_structure(architecture, config.seeds, target_units(config, architecture));
  return read_masks(TensorFile::read(config.masks), "mask.", architecture, replicas);
}

std::vector<float> initial_values(const RunConfig& config, const ParameterLayout& full, bool fresh) {
  return initial_parameters(full, config.init, config.seeds, fresh ? 1 : 0);
}

}  // namespace cambium
