#include "lab/run/run.hpp"

#include <fmt/chrono.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/durable_file.hpp"
#include "base/interrupt.hpp"
#include "base/journal.hpp"
#include "lab/results/cohort_table.hpp"
#include "lab/results/epoch_table.hpp"
#include "lab/results/history.hpp"
#include "lab/run/checkpoint.hpp"
#include "lab/run/progress.hpp"
#include "lab/run/result.hpp"
#include "lab/run/task_table.hpp"
#include "lab/run/tensorboard.hpp"
#include "lab/run/trace.hpp"
#include "lab/training/diagnosis.hpp"
#include "lab/training/editor.hpp"
#include "lab/training/examiner.hpp"
#include "lab/training/newborn_speeds.hpp"
#include "lab/training/step_queue.hpp"
#include "plasticity/budget.hpp"
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

// Images on the device, and no longer on the host; but their labels are.
DeviceImages to_device(Device& device, Images& images, const Normalisation& normalisation) {
  DeviceImages result(device, images, normalisation);
  images.pixels = {};
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
        curriculum_(config.curriculum, data.train, data.classes, config.seeds),
        train_(to_device(device, data.train, normalisation(config, data))),
        trainer_(make_trainer(device, trainer_settings(config))),
        queue_(device, train_, curriculum_, trainer_),
        editor_(device, config, curriculum_, trainer_, train_),
        metrics_(folder.path() / "metrics.jsonl"),
        epochs_(folder.path() / "epochs.csv", epoch_table_header(architecture())),
        history_(folder.path() / "events.jsonl"),
        cohorts_(folder.path() / "cohorts.csv", cohort_header()),
        tasks_(folder.path() / "tasks.csv", task_table_header(architecture())),
        matrix_(folder.path() / "matrix.csv", matrix_header()),
        online_{Journal(folder.path() / "online.npy", online_header(config)),
                Journal(folder.path() / "online_ticket.npy", online_header(config))} {
    if (!shifting()) test_.emplace(to_device(device, data.test, normalisation(config, data)));
    examiner_.emplace(device, config, curriculum_, trainer_, train_, test_ ? &*test_ : nullptr, data.test.labels);
    if (config.diagnostics) diagnosis_.emplace(device, config, curriculum_, trainer_, train_, cohorts_);
  }

  RunEnd go() {
    folder_.begin(config_);
    resume();
    if (options_.tensorboard) tensorboard_.emplace(folder_.path(), config_.seeds);
    begin_session();
    Progress progress(steps_per_phase() * (config_.ticket ? 2 : 1), steps_in_all(), options_.quiet);
    RunEnd end = RunEnd::done;
    while (end == RunEnd::done && !finished()) {
      if (state_.period == config_.periods()) begin_ticket();
      if (event_is_due()) edit();
      end = train_period(progress);
    }
    writer_.finish();
    progress.clear();
    end_session(progress, end);
    if (end == RunEnd::done) finish();
    return end;
  }

 private:
  const Architecture& architecture() const { return trainer_.settings().architecture; }
  std::vector<Journal*> journals() {
    return {&metrics_, &epochs_, &history_, &cohorts_, &tasks_, &matrix_, &online_[0], &online_[1]};
  }
  bool shifting() const { return config_.stream().kind == StreamEntry::Kind::shifting; }
  bool has_tasks() const { return config_.stream().kind != StreamEntry::Kind::iid; }
  const char* phase() const { return state_.ticket ? "ticket" : "cycles"; }

  // Steps by their numbers.
  std::uint64_t steps_per_phase() const { return config_.curriculum.step_numbers(); }
  std::uint64_t steps_done() const { return config_.curriculum.first_step(state_.period) + state_.step; }
  std::uint64_t steps_in_all() const { return (state_.ticket ? steps_per_phase() : 0) + steps_done(); }
  bool finished() const { return state_.period == config_.periods() && state_.ticket == config_.ticket; }

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
      spdlog::info("Going on after {} of {} {}s{}, {} steps", state_.period, config_.periods(), config_.period_name(),
                   state_.ticket ? " of the ticket" : "", state_.step);
    } else {
      state_.period_sums.assign(trainer_.replicas(), {});
      state_.task_sums.assign(trainer_.replicas(), {});
      for (const std::int32_t width : architecture().hidden)
        if (config_.edits()) state_.births.emplace_back(trainer_.replicas() * static_cast<std::size_t>(width), -1);
    }
    for (Journal* journal : journals()) journal->rewind(state_.journals[journal->name()]);
    if (config_.method == Method::prune && !state_.ticket) {
      if (config_.rewind.to == RewindSettings::To::init) editor_.set_rewind_target(initial(false));
      if (!state_.snapshot.empty()) editor_.set_rewind_target(state_.snapshot);
    }
    if (diagnoses() && state_.events > 0) diagnosis_->resume(last_event(), state_.births, state_.reference);
    if (state_.replay.empty()) return;
    enter_period();
    if (state_.replay != kept())
      throw_input_error("{}: the images that it kept for replay are not those of this run; it is damaged",
                        folder_.checkpoint().string());
  }

  // Whether all that a trace needs was kept so far.
  bool is_traced() const {
    return state_.step_losses.size() == steps_done() * trainer_.replicas() &&
           state_.cycles_losses.size() == (state_.ticket ? steps_per_phase() : 0) * trainer_.replicas() &&
           state_.edits.size() == static_cast<std::size_t>(state_.events);
  }

  // The event that comes next, and whether it is now.
  std::int32_t last_event() const { return next_event() - 1; }
  std::int32_t next_event() const { return config_.events().first() + state_.events; }
  bool event_is_due() const {
    return !state_.ticket && state_.events < config_.events().count() && state_.step == 0 &&
           state_.period == config_.cycle_end(next_event());
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
    history_.append(history_lines(edit, config_, architecture(), state_.period, steps_done()));
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
    state_.period = 0;
    state_.step = 0;
    state_.cycles_scores = std::exchange(state_.scores, {});
    state_.cycles_losses = std::exchange(state_.step_losses, {});
    state_.snapshot.clear();
    state_.reference.clear();
    save(folder_.checkpoint());
  }

  // Makes the task of the period under way the one that the networks see.
  void enter_period() {
    curriculum_.go_to(state_.period);
    const std::int32_t task = config_.curriculum.task_of(state_.period);
    if (task == task_number_) return;
    task_.emplace(device_, curriculum_.tasks(task), task, config_.stream().classes);
    task_number_ = task;
  }

  // What is kept for replay, (R, images).
  std::vector<std::int32_t> kept() const {
    std::vector<std::int32_t> all;
    for (std::size_t r = 0; r < trainer_.replicas(); ++r)
      all.insert(all.end(), curriculum_.kept(r).begin(), curriculum_.kept(r).end());
    return all;
  }

  // Puts the networks aside that have taken all their steps of the period, if they are not any more; where the next of
  // them will have.
  std::uint32_t rest() {
    std::uint32_t next = curriculum_.steps();
    for (std::size_t r = 0; r < trainer_.replicas(); ++r)
      if (curriculum_.steps(r) > state_.step)
        next = std::min(next, curriculum_.steps(r));
      else
        trainer_.rest(r);
    return next;
  }

  RunEnd train_period(Progress& progress) {
    enter_period();
    const double rate = (state_.ticket ? config_.ticket_schedule() : config_.schedule).at(state_.period);
    const std::uint64_t first_number = config_.curriculum.first_step(state_.period),
                        first_age = diagnoses() ? age() : 0;
    while (state_.step < curriculum_.steps()) {
      const auto start = Clock::now();
      const std::uint32_t first = state_.step, most = rest() - first;
      const auto wanted = static_cast<std::uint32_t>(
          seconds_per_step_ == 0 ? 1.0 : std::clamp(seconds_per_chunk / seconds_per_step_, 1.0, 1e6));
      const std::uint32_t planned = first + queue_.plan(first, std::min(wanted, most));
      std::uint32_t next = first;
      while (next < planned && !watch_.interrupted()) {
        set_speeds(first_number + next);
        queue_.enqueue(next, first_number + next, rate, *task_);
        ++next;
        if (diagnoses() && diagnosis_->wants_step(first_age + next)) break;
      }
      collect(next);
      // Half of the news each time: a hiccup passes, a lasting change is soon known.
      if (next > first) {
        const double seconds = seconds_since(start) / (next - first);
        seconds_per_step_ = seconds_per_step_ == 0 ? seconds : 0.5 * (seconds_per_step_ + seconds);
      }
      // The age at the end of a period is looked at there.
      if (diagnoses() && next > first && next < curriculum_.steps() && diagnosis_->wants_step(first_age + next)) {
        trainer_.wake();
        diagnosis_->look_at_age(first_age + next, age_in_periods(next), false, false);
      }
      if (watch_.interrupted()) {
        save(folder_.checkpoint());
        return RunEnd::interrupted;
      }
      if (seconds_since(last_checkpoint_) >= options_.checkpoint_seconds) save(folder_.checkpoint());
      progress.show(steps_in_all(), standing());
    }
    trainer_.wake();
    end_period(rate);
    return RunEnd::done;
  }

  bool diagnoses() const { return diagnosis_ && !state_.ticket; }

  // Steps from the last edit to the beginning of the period under way; periods, when `step` of its steps are done.
  std::uint64_t age() const {
    if (state_.events == 0) return 0;
    const CurriculumSettings& settings = config_.curriculum;
    return settings.first_step(state_.period) - settings.first_step(config_.cycle_end(last_event()));
  }
  double age_in_periods(std::uint32_t step) const {
    return state_.period - config_.cycle_end(last_event()) +
           static_cast<double>(step) / config_.curriculum.step_numbers(state_.period);
  }

  void set_speeds(std::uint64_t number) {
    if (state_.ticket || number < next_speed_change_) return;
    const auto speeds = newborn_speeds(config_, state_.births, state_.events, number);
    trainer_.set_speeds(speeds.factors);
    next_speed_change_ = speeds.until;
  }

  // Adds up the steps until `end` when they have run. The order of the sums does not depend on how they are cut.
  void collect(std::uint32_t end) {
    const std::size_t replicas = trainer_.replicas();
    const auto outcomes = queue_.collect(end);
    const std::int32_t periods = config_.curriculum.periods_per_task(), period = state_.period % periods;
    std::vector<std::int32_t> right;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const auto& outcome = outcomes[i];
      const std::size_t r = i % replicas;
      right.push_back(outcome.images == 0 ? -1 : static_cast<std::int32_t>(outcome.correct));
      if (!options_.trace.empty())
        state_.step_losses.push_back(outcome.images == 0 ? 0.0f : static_cast<float>(outcome.loss / outcome.images));
      if (outcome.images == 0) continue;
      state_.period_sums[r].add(outcome.images, outcome.correct, outcome.loss);
      const std::uint64_t each = curriculum_.steps(r), step = state_.step + i / replicas;
      state_.task_sums[r].add(static_cast<double>(outcome.correct) / outcome.images,
                              each * static_cast<std::uint64_t>(period) + step,
                              each * static_cast<std::uint64_t>(periods));
    }
    record_online(right);
    state_.step = end;
  }

  void record_online(std::span<const std::int32_t> right) {
    if (has_tasks() && !right.empty()) online_[state_.ticket].append(online_rows(config_, right));
  }

  // The line beside the bar: means over the seeds.
  std::string standing() const {
    double images = 0, loss = 0, correct = 0;
    for (const auto& sums : state_.period_sums)
      images += static_cast<double>(sums.images), loss += sums.loss, correct += static_cast<double>(sums.correct);
    std::string text = state_.ticket ? "ticket " : "";
    const std::int32_t periods = config_.curriculum.periods_per_task();
    if (has_tasks()) text += fmt::format("task {}/{} ", state_.period / periods + 1, config_.curriculum.tasks);
    if (!shifting()) text += fmt::format("epoch {}/{}", state_.period % periods + 1, periods);
    if (config_.edits()) text += fmt::format("  units {}", fmt::join(active_units(0), "+"));
    if (images > 0) text += fmt::format("  loss {:.4f}  train {:.2f}%", loss / images, 100 * correct / images);
    if (!shifting() && state_.period > 0)
      text += fmt::format("  test {:.2f}%", 100 * mean(accuracies(state_.period - 1)));
    return text;
  }

  std::span<const double> accuracies(std::int32_t period) const {
    return std::span(state_.scores.test_accuracy)
        .subspan(static_cast<std::size_t>(period) * trainer_.replicas(), trainer_.replicas());
  }

  // Of every hidden layer.
  std::vector<std::int32_t> active_units(std::int32_t replica) const {
    const Structure& structure = trainer_.compaction().structure();
    std::vector<std::int32_t> units;
    for (std::size_t layer = 0; layer < structure.layers(); ++layer) units.push_back(structure.active(layer, replica));
    return units;
  }

  void end_period(double rate) {
    const std::size_t replicas = trainer_.replicas();
    const std::int32_t task = config_.curriculum.task_of(state_.period);
    const bool task_ends = (state_.period + 1) % config_.curriculum.periods_per_task() == 0;
    std::optional<TaskEvaluation> examination;
    if (!shifting() || is_evaluated(config_, task)) examination = examiner_->examine(task);
    EpochRecord record{.phase = phase(), .task = task + 1, .rate = rate};
    for (std::size_t r = 0; r < replicas; ++r) {
      const auto& sums = state_.period_sums[r];
      const auto images = static_cast<double>(sums.images);
      record.seeds.push_back({.train_loss = sums.loss / images,
                              .train_accuracy = static_cast<double>(sums.correct) / images,
                              .test_loss = examination ? examination->loss[r] : NAN,
                              .test_accuracy = examination ? examination->cumulative[r] : NAN,
                              .active_units = active_units(static_cast<std::int32_t>(r))});
      if (!shifting()) state_.scores.test_accuracy.push_back(examination->cumulative[r]);
      if (!std::isfinite(record.seeds.back().train_loss))
        spdlog::warn("seed {}: the loss of {} {} is not a number any more; a smaller lr may help", config_.seeds[r],
                     config_.period_name(), state_.period + 1);
    }
    state_.period_sums.assign(replicas, {});
    // Step numbers that no seed needed.
    const std::size_t left = config_.curriculum.step_numbers(state_.period) - curriculum_.steps();
    record_online(std::vector<std::int32_t>(left * replicas, -1));
    if (!options_.trace.empty()) state_.step_losses.insert(state_.step_losses.end(), left * replicas, 0.0f);
    if (task_ends) end_task(task, examination);
    ++state_.period;
    state_.step = 0;
    record.period = state_.period;
    record.step = steps_done();
    while (config_.cycle_end(record.cycle) < state_.period) ++record.cycle;
    const auto line = metrics_line(record);
    metrics_.append(line);
    if (tensorboard_) tensorboard_->add(line);
    epochs_.append(epoch_table_rows(record, config_));
    if (diagnoses() && state_.events > 0)
      diagnosis_->look_at_age(age(), age_in_periods(0), true, state_.period == config_.cycle_end(record.cycle));
    if (config_.rewind.to == RewindSettings::To::snapshot && !state_.ticket && state_.period == config_.rewind.epoch) {
      state_.snapshot = trainer_.parameters();
      editor_.set_rewind_target(state_.snapshot);
    }
  }

  void end_task(std::int32_t task, const std::optional<TaskEvaluation>& examination) {
    const auto online = state_.scores.add_task(std::exchange(state_.task_sums, {trainer_.replicas(), OnlineSums{}}));
    if (examination) state_.scores.add(*examination);
    if (!has_tasks()) return;
    tasks_.append(task_table_rows(config_, phase(), task, online, examination ? &*examination : nullptr,
                                  trainer_.compaction().structure()));
    if (examination) matrix_.append(matrix_rows(config_, phase(), task, *examination));
  }

  void save(const std::filesystem::path& file) {
    const auto start = Clock::now();
    for (Journal* journal : journals()) {
      journal->sync();
      state_.journals[journal->name()] = journal->bytes();
    }
    if (diagnoses() && state_.events > 0) state_.reference = diagnosis_->reference();
    trainer_.wake();
    state_.replay = curriculum_.period() == state_.period ? kept() : std::vector<std::int32_t>{};
    writer_.write(make_checkpoint(trainer_, config_, state_), file);
    last_checkpoint_ = Clock::now();
    spdlog::debug("Checkpoint after {} {}s and {} steps: training stood still for {:.3f} s", state_.period,
                  config_.period_name(), state_.step, seconds_since(start));
  }

  void finish() {
    save(folder_.checkpoint());
    writer_.finish();
    if (!options_.trace.empty()) {
      const auto& full = trainer_.compaction().full();
      const auto last = trainer_.parameters();
      const auto of_cycles =
          state_.ticket ? read_parameters(TensorFile::read(folder_.end_of_cycles()), "", full) : last;
      write_trace(options_.trace, config_, state_, curriculum_, full, first_structure(), of_cycles, last);
    }
    auto result = make_result(config_, state_, architecture(), trainer_.compaction().structure(), steps_per_phase());
    if (config_.diagnostics) result["diagnostics"] = write_parities(folder_.path(), config_);
    folder_.write_result(result);
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
  Curriculum curriculum_;
  DeviceImages train_;
  std::optional<DeviceImages> test_;
  Trainer trainer_;
  StepQueue queue_;
  Editor editor_;
  std::optional<Examiner> examiner_;
  std::optional<DeviceTasks> task_;  // that the networks see
  std::int32_t task_number_ = -1;
  std::optional<TensorBoard> tensorboard_;
  Journal metrics_, epochs_, history_, cohorts_, tasks_, matrix_, online_[2];
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

TrainerSettings trainer_settings(const RunConfig& config) {
  return {.architecture = architecture_of(config),
          .activation = config.activation,
          .initialisation = config.init,
          .optimizer = config.optimizer,
          .batch = config.curriculum.rows(),
          .augment = config.augment,
          .seeds = config.seeds};
}

RunEnd train(Device& device, const RunConfig& config, DataSet data, RunFolder& folder, const RunOptions& options) {
  if (!options.trace.empty() && config.stream().kind == StreamEntry::Kind::shifting)
    throw_input_error("--trace: a trace has images and labels as they are in the data set, and {} changes them",
                      config.stream().name);
  return Run(device, config, data, folder, options).go();
}

}  // namespace cambium
