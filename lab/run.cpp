#include "lab/run.hpp"

#include <fmt/chrono.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "lab/checkpoint.hpp"
#include "lab/cohort_table.hpp"
#include "lab/diagnosis.hpp"
#include "lab/durable_file.hpp"
#include "lab/editor.hpp"
#include "lab/epoch_table.hpp"
#include "lab/history.hpp"
#include "lab/interrupt.hpp"
#include "lab/journal.hpp"
#include "lab/newborn_speeds.hpp"
#include "lab/progress.hpp"
#include "lab/result.hpp"
#include "lab/trace.hpp"
#include "plasticity/budget.hpp"
#include "streams/order.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

using Clock = std::chrono::steady_clock;

// Steps are enqueued for about this long before the host looks at signals, checkpoints and progress.
constexpr double seconds_per_chunk = 0.1;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TrainerSettings trainer_settings(const RunConfig& config) {
  return {.architecture = architecture_of(config),
          .activation = config.activation,
          .initialisation = config.init,
          .optimizer = config.optimizer,
          .batch = config.batch,
          .augment = config.augment,
          .seeds = config.seeds};
}

Structure initial_structure(const RunConfig& config, const Architecture& architecture) {
  const auto replicas = static_cast<std::int32_t>(config.seeds.size());
  if (config.edits()) return start_of_edits(config, architecture);
  if (config.masks == "all") return {architecture, replicas};
  if (config.masks == "random") return random_structure(architecture, config.seeds, target_units(config, architecture));
  return read_masks(TensorFile::read(config.masks), "mask.", architecture, replicas);
}

Normalisation normalisation(const RunConfig& config, const DataSet& data) {
  return config.standardised ? Normalisation::standardised(data.mean, data.deviation)
                             : Normalisation::unit(data.train.channels);
}

// Images on the device, and no longer on the host.
DeviceImages to_device(Device& device, Images& images, const Normalisation& normalisation) {
  DeviceImages result(device, images, normalisation);
  images.pixels = {};
  images.labels = {};
  return result;
}

// One run in progress.
class Run {
 public:
  Run(Device& device, const RunConfig& config, DataSet& data, RunFolder& folder, const RunOptions& options)
      : device_(device),
        config_(config),
        folder_(folder),
        options_(options),
        train_(to_device(device, data.train, normalisation(config, data))),
        test_(to_device(device, data.test, normalisation(config, data))),
        steps_per_epoch_(EpochOrder::steps(train_.count(), config.batch)),
        trainer_(make_trainer(device, trainer_settings(config))),
        editor_(device, config, trainer_, train_),
        losses_(device, std::size_t{train_.count()} * trainer_.replicas()),
        correct_(device, losses_.size()),
        metrics_(folder.path() / "metrics.jsonl"),
        epochs_(folder.path() / "epochs.csv", epoch_table_header(architecture())),
        history_(folder.path() / "events.jsonl"),
        cohorts_(folder.path() / "cohorts.csv", cohort_header()) {
    if (config.diagnostics) diagnosis_.emplace(device, config, trainer_, train_, cohorts_);
  }

  RunEnd go() {
    folder_.begin(config_);
    resume();
    begin_session();
    Progress progress(steps_per_phase() * (config_.ticket ? 2 : 1), steps_in_all(), options_.quiet);
    RunEnd end = RunEnd::done;
    while (end == RunEnd::done && !finished()) {
      if (state_.epoch == config_.epochs) begin_ticket();
      if (event_is_due()) edit();
      end = train_epoch(progress);
    }
    writer_.finish();
    progress.clear();
    end_session(progress, end);
    if (end == RunEnd::done) finish();
    return end;
  }

 private:
  const Architecture& architecture() const { return trainer_.settings().architecture; }
  std::vector<Journal*> journals() { return {&metrics_, &epochs_, &history_, &cohorts_}; }

  std::uint64_t steps_per_phase() const { return steps_per_epoch_ * static_cast<std::uint64_t>(config_.epochs); }
  std::uint64_t steps_done() const { return steps_per_epoch_ * static_cast<std::uint64_t>(state_.epoch) + state_.step; }
  std::uint64_t steps_in_all() const { return (state_.ticket ? steps_per_phase() : 0) + steps_done(); }
  bool finished() const { return state_.epoch == config_.epochs && state_.ticket == config_.ticket; }

  // A checkpoint brings its own masks.
  Trainer make_trainer(Device& device, const TrainerSettings& settings) const {
    const bool resumes = std::filesystem::exists(folder_.checkpoint());
    return {device, settings,
            resumes ? Structure(settings.architecture, static_cast<std::int32_t>(config_.seeds.size()))
                    : initial_structure(config_, settings.architecture)};
  }

  std::vector<float> initial(bool fresh) const {
    return initial_parameters(trainer_.compaction().full(), config_.init, config_.seeds, fresh ? 1 : 0);
  }

  void resume() {
    if (std::filesystem::exists(folder_.checkpoint())) {
      state_ = restore_checkpoint(TensorFile::read(folder_.checkpoint()), config_, trainer_);
      if (!options_.trace.empty() && !is_traced())
        throw_input_error(
            "--trace: this run was begun without it, so not all of its first {} steps and {} edits are known. Trace a "
            "new run in another folder.",
            steps_in_all(), state_.events);
      if (options_.trace.empty()) {
        state_.step_losses.clear();
        state_.cycles_losses.clear();
        state_.edits.clear();
      }
      spdlog::info("Going on after {} of {} epochs{}, {} steps", state_.epoch, config_.epochs,
                   state_.ticket ? " of the ticket" : "", state_.step);
    } else {
      begin_sums();
      for (const std::int32_t width : architecture().hidden)
        if (config_.edits()) state_.births.emplace_back(trainer_.replicas() * static_cast<std::size_t>(width), -1);
    }
    for (Journal* journal : journals()) journal->rewind(state_.journals[journal->name()]);
    if (config_.method == Method::prune && !state_.ticket) {
      if (config_.rewind.to == RewindSettings::To::init) editor_.set_rewind_target(initial(false));
      if (!state_.snapshot.empty()) editor_.set_rewind_target(state_.snapshot);
    }
    if (diagnoses() && state_.events > 0) diagnosis_->resume(last_event(), state_.births, state_.reference);
  }

  // Whether all that a trace needs was kept so far.
  bool is_traced() const {
    return state_.step_losses.size() == steps_done() * trainer_.replicas() &&
           state_.cycles_losses.size() == (state_.ticket ? steps_per_phase() : 0) * trainer_.replicas() &&
           state_.edits.size() == static_cast<std::size_t>(state_.events);
  }

  void begin_sums() {
    state_.loss.assign(trainer_.replicas(), 0.0);
    state_.correct.assign(trainer_.replicas(), 0);
  }

  // The event that comes next, and whether it is now.
  std::int32_t last_event() const { return next_event() - 1; }
  std::int32_t next_event() const { return config_.events().first() + state_.events; }
  bool event_is_due() const {
    return !state_.ticket && state_.events < config_.events().count() && state_.step == 0 &&
           state_.epoch == config_.cycle_end(next_event());
  }

  void edit() {
    const auto start = Clock::now();
    const std::int32_t event = next_event();
    if (diagnosis_) diagnosis_->look_before(event);
    const auto look = [&](const Edit& masked) {
      register_births(masked);
      diagnosis_->look_at_masks(masked, state_.births);
    };
    const Edit edit = diagnosis_ ? editor_.edit(event, look) : editor_.edit(event);
    if (diagnosis_)
      diagnosis_->look_after();
    else
      register_births(edit);
    if (!options_.trace.empty()) state_.edits.push_back({edit.event, edit.after, edit.scores, edit.donors});
    history_.append(history_lines(edit, config_, architecture(), state_.epoch, steps_done()));
    ++state_.events;
    next_speed_change_ = 0;
    seconds_per_step_ = 0;
    spdlog::debug("Edit {} took {:.3f} s, {:.3f} s of them on its batch", event, seconds_since(start),
                  editor_.seconds_on_batch());
  }

  void register_births(const Edit& edit) {
    for (std::size_t layer = 0; config_.method == Method::grow && layer < edit.choices.size(); ++layer)
      for (std::size_t r = 0; r < trainer_.replicas(); ++r)
        for (const std::int32_t unit : edit.choices[layer][r].units)
          state_.births[layer][r * static_cast<std::size_t>(edit.after.full_width(layer)) +
                               static_cast<std::size_t>(unit)] = static_cast<std::int32_t>(edit.event);
  }

  void begin_ticket() {
    save(folder_.end_of_cycles());
    diagnosis_.reset();  // what only edits need
    editor_.set_rewind_target({});
    trainer_.restart(initial(config_.fresh_ticket));
    state_.ticket = true;
    state_.epoch = 0;
    state_.step = 0;
    state_.cycles_accuracy = std::exchange(state_.test_accuracy, {});
    state_.cycles_losses = std::exchange(state_.step_losses, {});
    state_.snapshot.clear();
    state_.reference.clear();
    save(folder_.checkpoint());
  }

  RunEnd train_epoch(Progress& progress) {
    const EpochOrder order(train_.count(), config_.batch, static_cast<std::uint32_t>(state_.epoch), config_.seeds);
    indices_ = Buffer<std::int32_t>(device_, order.indices());
    const double rate = (state_.ticket ? config_.ticket_schedule() : config_.schedule).at(state_.epoch);
    while (state_.step < order.steps()) {
      const auto start = Clock::now();
      const std::uint32_t first = state_.step;
      const auto wanted = static_cast<std::uint32_t>(
          seconds_per_step_ == 0 ? 1.0 : std::clamp(seconds_per_chunk / seconds_per_step_, 1.0, 1e6));
      std::uint32_t next = first;
      while (next < order.steps() && next - first < wanted && !watch_.interrupted()) {
        enqueue(order, next++, rate);
        if (diagnoses() && diagnosis_->wants_step(age(next))) break;
      }
      collect(order, first, next);
      // Half of the news each time: a hiccup passes, a lasting change is soon known.
      if (next > first) {
        const double seconds = seconds_since(start) / (next - first);
        seconds_per_step_ = seconds_per_step_ == 0 ? seconds : 0.5 * (seconds_per_step_ + seconds);
      }
      // The age at the end of an epoch is looked at there.
      if (diagnoses() && next > first && next < order.steps() && diagnosis_->wants_step(age(next)))
        diagnosis_->look_at_age(age(next), static_cast<double>(age(next)) / static_cast<double>(steps_per_epoch_),
                                false, false);
      if (watch_.interrupted()) {
        save(folder_.checkpoint());
        return RunEnd::interrupted;
      }
      if (seconds_since(last_checkpoint_) >= options_.checkpoint_seconds) save(folder_.checkpoint());
      progress.show(steps_in_all(), standing());
    }
    end_epoch(rate);
    return RunEnd::done;
  }

  bool diagnoses() const { return diagnosis_ && !state_.ticket; }

  // Steps since the last edit, when `step` of the epoch under way are done.
  std::uint64_t age(std::uint32_t step) const {
    if (state_.events == 0) return 0;
    const auto epochs = static_cast<std::uint64_t>(state_.epoch - config_.cycle_end(last_event()));
    return steps_per_epoch_ * epochs + step;
  }

  void enqueue(const EpochOrder& order, std::uint32_t step, double rate) {
    const std::size_t begin = order.begin(step), size = std::size_t{order.rows(step)} * trainer_.replicas();
    const std::uint64_t number = steps_per_epoch_ * static_cast<std::uint64_t>(state_.epoch) + step;
    if (!state_.ticket && number >= next_speed_change_) {
      const auto speeds = newborn_speeds(config_, state_.births, state_.events, steps_per_epoch_, number);
      trainer_.set_speeds(speeds.factors);
      next_speed_change_ = speeds.until;
    }
    trainer_.step(train_, {.indices = indices_.view().slice(begin, size),
                           .rows = order.rows(step),
                           .step = number,
                           .rate = static_cast<float>(rate),
                           .losses = losses_.view().slice(begin, size),
                           .correct = correct_.view().slice(begin, size)});
  }

  // Adds up the steps [first, end) when they have run. The order of the sums does not depend on how they are cut.
  void collect(const EpochOrder& order, std::uint32_t first, std::uint32_t end) {
    const std::size_t replicas = trainer_.replicas(), begin = order.begin(first);
    const std::size_t finish = std::min(order.begin(end), order.indices().size());
    std::vector<float> losses(finish - begin);
    std::vector<std::uint8_t> correct(finish - begin);
    losses_.download(begin, losses);
    correct_.download(begin, correct);
    for (std::uint32_t step = first; step < end; ++step)
      for (std::size_t r = 0; r < replicas; ++r) {
        double sum = 0;
        const std::size_t rows = order.rows(step), at = order.begin(step) - begin + r * rows;
        for (std::size_t i = at; i < at + rows; ++i) {
          sum += double{losses[i]};
          state_.correct[r] += correct[i];
        }
        state_.loss[r] += sum;
        if (!options_.trace.empty()) state_.step_losses.push_back(static_cast<float>(sum / static_cast<double>(rows)));
      }
    state_.step = end;
  }

  // The line beside the bar: means over the seeds.
  std::string standing() const {
    const double images = std::min<double>(static_cast<double>(state_.step) * config_.batch, train_.count()) *
                          static_cast<double>(trainer_.replicas());
    double loss = 0, correct = 0;
    for (std::size_t r = 0; r < trainer_.replicas(); ++r)
      loss += state_.loss[r], correct += static_cast<double>(state_.correct[r]);
    auto text = fmt::format("{}epoch {}/{}", state_.ticket ? "ticket " : "", state_.epoch + 1, config_.epochs);
    if (config_.edits()) text += fmt::format("  units {}", fmt::join(active_units(0), "+"));
    if (images > 0) text += fmt::format("  loss {:.4f}  train {:.2f}%", loss / images, 100 * correct / images);
    if (state_.epoch > 0) text += fmt::format("  test {:.2f}%", 100 * mean(accuracies(state_.epoch - 1)));
    return text;
  }

  std::span<const double> accuracies(std::int32_t epoch) const {
    return std::span(state_.test_accuracy)
        .subspan(static_cast<std::size_t>(epoch) * trainer_.replicas(), trainer_.replicas());
  }

  // Of every hidden layer.
  std::vector<std::int32_t> active_units(std::int32_t replica) const {
    const Structure& structure = trainer_.compaction().structure();
    std::vector<std::int32_t> units;
    for (std::size_t layer = 0; layer < structure.layers(); ++layer) units.push_back(structure.active(layer, replica));
    return units;
  }

  void end_epoch(double rate) {
    const auto evaluation = trainer_.evaluate(test_);
    EpochRecord record{.phase = state_.ticket ? "ticket" : "cycles", .rate = rate};
    for (std::size_t r = 0; r < trainer_.replicas(); ++r) {
      record.seeds.push_back({.train_loss = state_.loss[r] / train_.count(),
                              .train_accuracy = static_cast<double>(state_.correct[r]) / train_.count(),
                              .test_loss = evaluation.loss[r],
                              .test_accuracy = evaluation.accuracy(r),
                              .active_units = active_units(static_cast<std::int32_t>(r))});
      state_.test_accuracy.push_back(evaluation.accuracy(r));
      if (!std::isfinite(record.seeds.back().train_loss))
        spdlog::warn("seed {}: the loss of epoch {} is not a number any more; a smaller lr may help", config_.seeds[r],
                     state_.epoch + 1);
    }
    begin_sums();
    ++state_.epoch;
    state_.step = 0;
    record.epoch = state_.epoch;
    record.step = steps_done();
    while (config_.cycle_end(record.cycle) < state_.epoch) ++record.cycle;
    metrics_.append(metrics_line(record));
    epochs_.append(epoch_table_rows(record, config_));
    if (diagnoses() && state_.events > 0)
      diagnosis_->look_at_age(age(0), state_.epoch - config_.cycle_end(last_event()), true,
                              state_.epoch == config_.cycle_end(record.cycle));
    if (config_.rewind.to == RewindSettings::To::snapshot && !state_.ticket && state_.epoch == config_.rewind.epoch) {
      state_.snapshot = trainer_.parameters();
      editor_.set_rewind_target(state_.snapshot);
    }
  }

  void save(const std::filesystem::path& file) {
    const auto start = Clock::now();
    for (Journal* journal : journals()) {
      journal->sync();
      state_.journals[journal->name()] = journal->bytes();
    }
    if (diagnoses() && state_.events > 0) state_.reference = diagnosis_->reference();
    writer_.write(make_checkpoint(trainer_, config_, state_), file);
    last_checkpoint_ = Clock::now();
    spdlog::debug("Checkpoint at epoch {}, step {}: training stood still for {:.3f} s", state_.epoch, state_.step,
                  seconds_since(start));
  }

  void finish() {
    save(folder_.checkpoint());
    writer_.finish();
    if (!options_.trace.empty()) {
      const auto& full = trainer_.compaction().full();
      const auto last = trainer_.parameters();
      const auto of_cycles =
          state_.ticket ? read_parameters(TensorFile::read(folder_.end_of_cycles()), "", full) : last;
      write_trace(options_.trace, config_, state_, full, first_structure(), of_cycles, last, train_.count());
    }
    auto result = make_result(config_, state_, architecture(), trainer_.compaction().structure(), steps_per_phase());
    if (config_.diagnostics) result["diagnostics"] = write_parities();
    folder_.write_result(result);
  }

  // Makes parities.csv of cohorts.csv; what it comes to.
  nlohmann::ordered_json write_parities() const {
    std::vector<CohortRow> rows;
    for (auto& record : read_cohorts(folder_.path() / "cohorts.csv")) rows.push_back(std::move(record.row));
    const auto found = parities(rows);
    const auto run = columns_of(config_);
    std::string text = parity_header();
    for (const auto& row : found.rows) text += format(run, row);
    DurableFile::write(folder_.path() / "parities.csv", text);
    return to_json(found.summaries);
  }

  // The masks of the beginning.
  Structure first_structure() const {
    return config_.edits() ? initial_structure(config_, architecture()) : trainer_.compaction().structure();
  }

  static std::string now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  }

  void begin_session() {
    first_step_ = steps_in_all();
    folder_.append_session({{"began", now()},
                            {"at_step", first_step_},
                            {"cambium", CAMBIUM_VERSION},
                            {"device", device_.info().name},
                            {"driver", device_.info().driver},
                            {"selector", device_.info().selector()},
                            {"gemm", device_.gemm().name()},
                            {"convolution", device_.convolution().name()}});
  }

  void end_session(const Progress& progress, RunEnd end) {
    const double seconds = progress.seconds();
    folder_.append_session(
        {{"ended", now()},
         {"at_step", steps_in_all()},
         {"why", end == RunEnd::done ? "done" : "interrupted"},
         {"seconds", seconds},
         {"steps_per_second", static_cast<double>(steps_in_all() - first_step_) / std::max(seconds, 1e-9)}});
  }

  Device& device_;
  const RunConfig& config_;
  RunFolder& folder_;
  const RunOptions& options_;
  DeviceImages train_, test_;
  std::uint64_t steps_per_epoch_;
  Trainer trainer_;
  Editor editor_;
  Buffer<float> losses_;  // of the epoch under way, laid out like its order
  Buffer<std::uint8_t> correct_;
  Buffer<std::int32_t> indices_;
  Journal metrics_, epochs_, history_, cohorts_;
  std::optional<Diagnosis> diagnosis_;
  RunState state_;
  BackgroundWriter writer_;
  InterruptWatch watch_;
  Clock::time_point last_checkpoint_ = Clock::now();
  double seconds_per_step_ = 0;          // 0: not known yet
  std::uint64_t next_speed_change_ = 0;  // the step from which newborns' speeds must be found anew
  std::uint64_t first_step_ = 0;
};

}  // namespace

RunEnd train(Device& device, const RunConfig& config, DataSet data, RunFolder& folder, const RunOptions& options) {
  return Run(device, config, data, folder, options).go();
}

}  // namespace cambium
