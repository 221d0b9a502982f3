#include "lab/run/run.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/interrupt.hpp"
#include "lab/run/checkpoint.hpp"
#include "lab/run/cohort_observer.hpp"
#include "lab/run/journal_observers.hpp"
#include "lab/run/position.hpp"
#include "lab/run/progress.hpp"
#include "lab/run/result.hpp"
#include "lab/run/scores.hpp"
#include "lab/run/session_log.hpp"
#include "lab/run/trace_observer.hpp"
#include "lab/run/training_stream.hpp"
#include "lab/training/evaluator.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

using Clock = std::chrono::steady_clock;

// The host enqueues steps for about this long before it handles signals, checkpoints and progress.
constexpr double seconds_per_chunk = 0.1;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A checkpoint replaces these masks.
Structure first_masks(const RunConfig& config, const RunFolder& folder) {
  const auto architecture = architecture_of(config);
  if (std::filesystem::exists(folder.checkpoint()))
    return {architecture, static_cast<std::int32_t>(config.seeds.size())};
  return initial_structure(config, architecture);
}

class Run {
 public:
  Run(Device& device, const RunConfig& config, DataSet& data, RunFolder& folder, const RunOptions& options)
      : device_(device),
        config_(config),
        folder_(folder),
        options_(options),
        stream_(device, config, data),
        trainer_(device, trainer_settings(config), first_masks(config, folder)),
        queue_(device, stream_.train(), stream_.curriculum(), trainer_),
        evaluator_(device, config, stream_.curriculum(), trainer_, stream_.train(), stream_.test(), data.test.labels),
        edits_(device, config, stream_.curriculum(), trainer_, stream_.train()),
        scores_(config) {
    const auto& architecture = trainer_.settings().architecture;
    observe<MetricsObserver>(folder.path());
    observe<EpochObserver>(folder.path(), config, architecture);
    observe<HistoryObserver>(folder.path(), config, architecture);
    observe<TaskObserver>(folder.path(), config, architecture, trainer_.compaction());
    observe<TraceObserver>(options.trace, config, folder, trainer_, stream_.curriculum());
    observe<CohortObserver>(device, config, stream_.curriculum(), trainer_, stream_.train(), edits_, folder.path());
    if (options.tensorboard) observe<TensorBoardObserver>(folder.path(), config);
  }

  RunEnd go() {
    folder_.begin(config_);
    start_or_resume();
    const SessionLog session(folder_, device_, steps_in_all(config_, at_));
    Progress progress(steps_per_phase(config_) * (config_.ticket ? 2 : 1), steps_in_all(config_, at_), options_.quiet);
    RunEnd end = RunEnd::done;
    while (end == RunEnd::done && !is_finished(config_, at_)) {
      if (at_.period == config_.periods()) begin_ticket();
      if (event_is_due(config_, at_)) edit();
      end = train_period(progress);
    }
    writer_.finish();
    progress.clear();
    session.end(steps_in_all(config_, at_), end == RunEnd::done, progress);
    if (end == RunEnd::done) finish();
    return end;
  }

 private:
  template <class Observer, class... Arguments>
  void observe(Arguments&&... arguments) {
    owned_.push_back(std::make_unique<Observer>(std::forward<Arguments>(arguments)...));
    observers_.push_back(owned_.back().get());
  }

  // In the order in which a checkpoint loads them: each may depend on those before it.
  std::vector<Persistent*> parts() {
    std::vector<Persistent*> all{&stream_, &scores_, &edits_};
    all.insert(all.end(), observers_.begin(), observers_.end());
    return all;
  }

  void start_or_resume() {
    if (std::filesystem::exists(folder_.checkpoint())) {
      at_ = load_checkpoint(TensorFile::read(folder_.checkpoint()), config_, trainer_, parts());
      spdlog::info("Resuming{} at {} {}/{}, step {}", at_.ticket ? " the ticket" : "", config_.period_name(),
                   std::min(at_.period + 1, config_.periods()), config_.periods(), at_.step);
    } else {
      for (Persistent* part : parts())
        for (Journal* journal : part->journals()) journal->rewind(0);
    }
    for (RunObserver* observer : observers_) observer->begin(at_);
  }

  void edit() {
    const Edit edit = edits_.run(next_event(config_, at_), observers_);
    for (RunObserver* observer : observers_) observer->edit_done(at_, edit);
    ++at_.events;
    seconds_per_step_ = 0;
  }

  void begin_ticket() {
    save(folder_.end_of_cycles());
    edits_.begin_ticket();
    scores_.begin_ticket();
    for (RunObserver* observer : observers_) observer->ticket_begins();
    trainer_.restart(initial_values(config_, trainer_.compaction().full(), config_.fresh_ticket));
    at_ = {.ticket = true, .events = at_.events};
    save(folder_.checkpoint());
  }

  RunEnd train_period(Progress& progress) {
    stream_.enter_period(at_.period);
    const double rate = (at_.ticket ? config_.ticket_schedule() : config_.schedule).at(at_.period);
    while (at_.step < stream_.curriculum().steps()) {
      train_chunk(rate);
      if (watch_.interrupted()) {
        save(folder_.checkpoint());
        return RunEnd::interrupted;
      }
      if (seconds_since(last_checkpoint_) >= options_.checkpoint_seconds) save(folder_.checkpoint());
      progress.show(steps_in_all(config_, at_), scores_.status(at_, trainer_.compaction().structure()));
    }
    end_period(rate);
    return RunEnd::done;
  }

  // Enqueues as many steps as fit into a chunk, and waits for them.
  void train_chunk(double rate) {
    const auto start = Clock::now();
    const std::uint32_t first = at_.step, left = stream_.curriculum().steps() - first;
    const auto wanted = static_cast<std::uint32_t>(
        seconds_per_step_ == 0 ? 1.0 : std::clamp(seconds_per_chunk / seconds_per_step_, 1.0, 1e6));
    const std::uint32_t planned = first + queue_.plan(first, std::min(wanted, left));
    const std::uint64_t first_number = config_.curriculum.first_step(at_.period);
    ProgressSnapshot next = at_;
    while (next.step < planned && !watch_.interrupted()) {
      edits_.set_speeds(at_, first_number + next.step);
      queue_.enqueue(next.step, first_number + next.step, rate, stream_.task());
      ++next.step;
      if (std::ranges::any_of(observers_, [&](const auto* observer) { return observer->stops_at(next); })) break;
    }
    if (next.step == first) return;
    steps_done(queue_.collect(next.step), next.step);
    // EMA of the step time, alpha = 0.5.
    const double seconds = seconds_since(start) / (next.step - first);
    seconds_per_step_ = seconds_per_step_ == 0 ? seconds : 0.5 * (seconds_per_step_ + seconds);
  }

  void steps_done(const std::vector<StepResult>& results, std::uint32_t end) {
    std::vector<std::uint32_t> needs;
    for (std::size_t r = 0; r < trainer_.replicas(); ++r) needs.push_back(stream_.curriculum().steps(r));
    const StepsDone done{at_, results, end, stream_.curriculum().steps(), needs};
    scores_.steps_done(done);
    for (RunObserver* observer : observers_) observer->steps_done(done);
    at_.step = end;
  }

  void end_period(double rate) {
    // Step numbers that no replica needed have empty results.
    const std::uint32_t numbers = config_.curriculum.step_numbers(at_.period);
    steps_done(std::vector<StepResult>((numbers - at_.step) * trainer_.replicas()), numbers);
    const std::int32_t task = config_.curriculum.task_of(at_.period);
    std::optional<TaskEvaluation> evaluation;
    if (stream_.test() != nullptr || is_evaluated(config_, task)) evaluation = evaluator_.evaluate(task);
    ++at_.period;
    at_.step = 0;
    const auto done =
        scores_.end_period(at_, rate, evaluation ? &*evaluation : nullptr, trainer_.compaction().structure());
    for (RunObserver* observer : observers_) observer->period_done(done);
    edits_.end_period(at_);
  }

  void save(const std::filesystem::path& file) {
    const auto start = Clock::now();
    writer_.write(make_checkpoint(config_, at_, trainer_, parts()), file);
    last_checkpoint_ = Clock::now();
    spdlog::debug("checkpoint at {} {}, step {}: training paused for {:.3f} s", config_.period_name(), at_.period,
                  at_.step, seconds_since(start));
  }

  void finish() {
    save(folder_.checkpoint());
    writer_.finish();
    auto result = make_result(config_, scores_.scores(), trainer_.settings().architecture,
                              trainer_.compaction().structure(), steps_per_phase(config_));
    for (RunObserver* observer : observers_) observer->finish(result);
    folder_.write_result(result);
  }

  Device& device_;
  const RunConfig& config_;
  RunFolder& folder_;
  const RunOptions& options_;
  TrainingStream stream_;
  Trainer trainer_;
  StepQueue queue_;
  TaskEvaluator evaluator_;
  Edits edits_;
  Scores scores_;
  std::vector<std::unique_ptr<RunObserver>> owned_;
  std::vector<RunObserver*> observers_;
  ProgressSnapshot at_;
  BackgroundWriter writer_;
  InterruptWatch watch_;
  Clock::time_point last_checkpoint_ = Clock::now();
  double seconds_per_step_ = 0;  // 0: unknown
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
    throw_input_error(
        "--trace: a trace refers to images and labels of the data set, but {} transforms them. Leave --trace out.",
        config.stream().name);
  return Run(device, config, data, folder, options).go();
}

}  // namespace cambium
