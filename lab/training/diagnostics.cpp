#include "lab/training/diagnostics.hpp"

#include <algorithm>

#include "lab/training/event_batch.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

constexpr std::uint32_t most_batches = 8;
constexpr std::uint64_t step_ages[] = {1, 10, 50, 100, 200, 391};

}  // namespace

Diagnostics::Diagnostics(Device& device, const RunConfig& config, const Curriculum& curriculum, const Trainer& trainer,
                         const DeviceImages& images)
    : device_(device),
      config_(config),
      curriculum_(curriculum),
      trainer_(trainer),
      images_(images),
      seeds_(device, config.seeds) {
  rows_ = event_rows(config);
  batches_ = std::min(most_batches, config.curriculum.fewest_images() / rows_);
  labels_ = Buffer<std::int32_t>(device, trainer.replicas() * rows_);
}

void Diagnostics::take_batches(std::int32_t event) {
  event_ = event;
  task_.emplace(device_, tasks_after(config_, curriculum_, event), task_after(config_, event),
                config_.stream().classes);
  const std::size_t replicas = trainer_.replicas();
  const std::uint32_t amount = std::min(most_batches * rows_, config_.curriculum.fewest_images());
  const auto all = event_images(config_, curriculum_, event, amount, philox::diagnosis);
  std::vector<std::int32_t> indices(replicas * batches_ * rows_);
  for (std::size_t r = 0; r < replicas; ++r)
    for (std::size_t b = 0; b < batches_; ++b)
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(r * amount + b * rows_), rows_,
                  indices.begin() + static_cast<std::ptrdiff_t>((b * replicas + r) * rows_));
  indices_ = Buffer<std::int32_t>(device_, indices);
}

void Diagnostics::make_observer() {
  observer_.reset();  // free its memory before the new observer allocates
  observer_.emplace(device_, trainer_.compaction().live(), config_.activation, config_.seeds, trainer_.live_units(),
                    rows_, trainer_.trunk());
}

Diagnostics::Signals Diagnostics::observe(std::uint32_t batches, bool from_reference) {
  Signals result;
  std::vector<std::vector<UnitSignals>> all;
  const std::size_t each = trainer_.replicas() * rows_;
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    images_.gather(device_,
                   {.indices = indices_.view().slice(batch * each, each),
                    .replicas = static_cast<std::uint32_t>(trainer_.replicas()),
                    .rows = rows_,
                    .seeds = seeds_,
                    .task = *task_},
                   observer_->input(rows_), labels_);
    if (batch == 0) {
      result.first = observer_->observe(trainer_.live_parameters(), labels_, rows_, config_.diagnostics_tau,
                                        from_reference ? View<const float>(reference_.view()) : View<const float>());
      all.push_back(result.first.layers);
    } else {
      all.push_back(observer_->observe_activity(trainer_.live_parameters(), labels_, rows_, config_.diagnostics_tau));
    }
  }
  result.averaged = batches == batches_ ? mean_activity(all) : std::vector<UnitSignals>(all[0].size());
  return result;
}

std::vector<CohortRow> Diagnostics::rows(const Signals& signals, const Moment& moment, const UnitCohorts& cohorts,
                                         std::span<const double> distance) const {
  return cohort_rows({event_, moment, signals.first.layers, signals.averaged, signals.first.loss, distance}, cohorts,
                     config_.seeds, trainer_.settings().architecture);
}

void Diagnostics::observe_exit(std::int32_t event) {
  take_batches(event);
  if (!observer_) make_observer();
  exit_ = observe(batches_, false);
}

std::vector<CohortRow> Diagnostics::observe_masks(const Edit& edit, const BirthEvents& births) {
  const bool grows = config_.method == Method::grow;
  auto result =
      rows(*exit_, {TimePoint::exit, 0, 0},
           grows ? grow_cohorts(edit.before, births, event_) : prune_cohorts(edit.before, edit.before, edit.after), {});
  cohorts_ = grows ? grow_cohorts(edit.after, births, event_) : prune_cohorts(edit.after, edit.before, edit.after);
  make_observer();
  if (grows) return result;
  const auto masked = observe(batches_, false);
  const auto more = rows(masked, {TimePoint::post_mask, 0, 0}, cohorts_, logit_distance(exit_->first, masked.first));
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

std::vector<CohortRow> Diagnostics::observe_post() {
  const auto after = observe(batches_, false);
  const auto distance = logit_distance(exit_->first, after.first);
  exit_.reset();
  take_reference();
  return rows(after, {TimePoint::post, 0, 0}, cohorts_, distance);
}

bool Diagnostics::wants_step(std::uint64_t age_steps) const {
  return event_ >= 0 && std::find(std::begin(step_ages), std::end(step_ages), age_steps) != std::end(step_ages);
}

std::vector<CohortRow> Diagnostics::observe_age(std::uint64_t age_steps, double age_epochs, bool whole_epoch,
                                                bool last) {
  if (event_ < 0) return {};
  // One batch is enough in the middle of an epoch.
  const auto signals = observe(whole_epoch ? batches_ : 1, whole_epoch);
  if (whole_epoch) take_reference();
  return rows(signals, {last ? TimePoint::end : TimePoint::age, static_cast<std::int64_t>(age_steps), age_epochs},
              cohorts_, {});
}

void Diagnostics::take_reference() {
  const auto parameters = trainer_.live_parameters();
  if (reference_.size() != parameters.size()) reference_ = Buffer<float>(device_, parameters.size());
  copy(device_, parameters, reference_);
}

void Diagnostics::resume(std::int32_t event, const BirthEvents& births, std::span<const float> reference) {
  const Structure& structure = trainer_.compaction().structure();
  take_batches(event);
  cohorts_ = config_.method == Method::grow ? grow_cohorts(structure, births, event)
                                            : prune_cohorts(structure, structure, structure);
  make_observer();
  reference_ = Buffer<float>(device_, reference);
}

}  // namespace cambium
