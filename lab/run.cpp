#include "lab/run.hpp"

#include <fmt/chrono.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "lab/checkpoint.hpp"
#include "lab/interrupt.hpp"
#include "lab/progress.hpp"
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

TrainerSettings trainer_settings(const RunConfig& config, const DataSet& data) {
  const ImageShape image{data.train.height, data.train.width, data.train.channels};
  return {.architecture = make_architecture(config.network, image, data.classes, config.hidden),
          .activation = config.activation,
          .initialisation = config.init,
          .optimizer = config.optimizer,
          .batch = config.batch,
          .augment = config.augment,
          .seeds = config.seeds};
}

Structure initial_structure(const RunConfig& config, const Architecture& architecture) {
  const auto replicas = static_cast<std::int32_t>(config.seeds.size());
  if (config.masks == "all") return {architecture, replicas};
  if (config.masks != "random") return read_masks(TensorFile::read(config.masks), "mask.", architecture, replicas);
  const auto bias = bias_schedule(config.bias_schedule, architecture.hidden.size());
  return random_structure(architecture, config.seeds, unit_targets(architecture, config.compactness, bias));
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
        trainer_(device, trainer_settings(config, data), first_structure(trainer_settings(config, data).architecture)),
        losses_(device, std::size_t{train_.count()} * trainer_.replicas()),
        correct_(device, losses_.size()) {}

  RunEnd go() {
    folder_.begin(config_);
    resume();
    begin_session();
    Progress progress(steps_per_epoch_ * static_cast<std::uint64_t>(config_.epochs), steps_done(), options_.quiet);
    RunEnd end = RunEnd::done;
    while (state_.epoch < config_.epochs && end == RunEnd::done) end = train_epoch(progress);
    writer_.finish();
    progress.clear();
    end_session(progress, end);
    if (end == RunEnd::done) finish();
    return end;
  }

 private:
  std::uint64_t steps_done() const { return steps_per_epoch_ * static_cast<std::uint64_t>(state_.epoch) + state_.step; }

  // A checkpoint brings its own masks.
  Structure first_structure(const Architecture& architecture) const {
    if (std::filesystem::exists(folder_.checkpoint()))
      return {architecture, static_cast<std::int32_t>(config_.seeds.size())};
    return initial_structure(config_, architecture);
  }

  void resume() {
    if (std::filesystem::exists(folder_.checkpoint())) {
      state_ = restore_checkpoint(TensorFile::read(folder_.checkpoint()), config_, trainer_);
      if (state_.epoch < 0 || state_.epoch > config_.epochs || state_.step > steps_per_epoch_)
        throw_input_error("{}: it stands at epoch {}, step {} of a run of {} epochs with {} steps each; it is damaged",
                          folder_.checkpoint().string(), state_.epoch, state_.step, config_.epochs, steps_per_epoch_);
      if (!options_.trace.empty() && state_.step_losses.size() != steps_done() * trainer_.replicas())
        throw_input_error(
            "--trace: this run was begun without it, so the losses of its first {} steps are not known. Trace a new "
            "run in another folder.",
            steps_done());
      if (options_.trace.empty()) state_.step_losses.clear();
      spdlog::info("Going on after {} of {} epochs, {} steps", state_.epoch, config_.epochs, state_.step);
    } else {
      state_.loss.assign(trainer_.replicas(), 0.0);
      state_.correct.assign(trainer_.replicas(), 0);
    }
    folder_.rewind_metrics(state_.metrics_bytes);
  }

  RunEnd train_epoch(Progress& progress) {
    const EpochOrder order(train_.count(), config_.batch, static_cast<std::uint32_t>(state_.epoch), config_.seeds);
    indices_ = Buffer<std::int32_t>(device_, order.indices());
    const double rate = config_.schedule.at(state_.epoch);
    while (state_.step < order.steps()) {
      const auto start = Clock::now();
      const std::uint32_t first = state_.step;
      const auto wanted = static_cast<std::uint32_t>(
          seconds_per_step_ == 0 ? 1.0 : std::clamp(seconds_per_chunk / seconds_per_step_, 1.0, 1e6));
      std::uint32_t next = first;
      while (next < order.steps() && next - first < wanted && !watch_.interrupted()) enqueue(order, next++, rate);
      collect(order, first, next);
      // Half of the news each time: a hiccup passes, a lasting change is soon known.
      if (next > first) {
        const double seconds = seconds_since(start) / (next - first);
        seconds_per_step_ = seconds_per_step_ == 0 ? seconds : 0.5 * (seconds_per_step_ + seconds);
      }
      if (watch_.interrupted()) {
        save();
        return RunEnd::interrupted;
      }
      if (seconds_since(last_checkpoint_) >= options_.checkpoint_seconds) save();
      progress.show(steps_done(), standing());
    }
    end_epoch(rate);
    return RunEnd::done;
  }

  void enqueue(const EpochOrder& order, std::uint32_t step, double rate) {
    const std::size_t begin = order.begin(step), size = std::size_t{order.rows(step)} * trainer_.replicas();
    trainer_.step(train_, {.indices = indices_.view().slice(begin, size),
                           .rows = order.rows(step),
                           .step = steps_per_epoch_ * static_cast<std::uint64_t>(state_.epoch) + step,
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
    auto text = fmt::format("epoch {}/{}", state_.epoch + 1, config_.epochs);
    if (images > 0) text += fmt::format("  loss {:.4f}  train {:.2f}%", loss / images, 100 * correct / images);
    if (state_.epoch > 0) text += fmt::format("  test {:.2f}%", 100 * mean(accuracies(state_.epoch - 1)));
    return text;
  }

  std::span<const double> accuracies(std::int32_t epoch) const {
    return std::span(state_.test_accuracy)
        .subspan(static_cast<std::size_t>(epoch) * trainer_.replicas(), trainer_.replicas());
  }

  void end_epoch(double rate) {
    const auto evaluation = trainer_.evaluate(test_);
    std::vector<double> train_loss, train_accuracy, test_accuracy;
    for (std::size_t r = 0; r < trainer_.replicas(); ++r) {
      train_loss.push_back(state_.loss[r] / train_.count());
      train_accuracy.push_back(static_cast<double>(state_.correct[r]) / train_.count());
      test_accuracy.push_back(evaluation.accuracy(r));
      if (!std::isfinite(train_loss.back()))
        spdlog::warn("seed {}: the loss of epoch {} is not a number any more; a smaller lr may help", config_.seeds[r],
                     state_.epoch + 1);
    }
    state_.test_accuracy.insert(state_.test_accuracy.end(), test_accuracy.begin(), test_accuracy.end());
    state_.loss.assign(trainer_.replicas(), 0.0);
    state_.correct.assign(trainer_.replicas(), 0);
    ++state_.epoch;
    state_.step = 0;
    folder_.append_metrics({{"epoch", state_.epoch},
                            {"step", steps_done()},
                            {"lr", rate},
                            {"train_loss", train_loss},
                            {"train_accuracy", train_accuracy},
                            {"test_loss", evaluation.loss},
                            {"test_accuracy", test_accuracy}});
  }

  void save() {
    const auto start = Clock::now();
    folder_.sync_metrics();
    state_.metrics_bytes = folder_.metrics_bytes();
    writer_.write(make_checkpoint(trainer_, config_, state_), folder_.checkpoint());
    last_checkpoint_ = Clock::now();
    spdlog::debug("Checkpoint at epoch {}, step {}: training stood still for {:.3f} s", state_.epoch, state_.step,
                  seconds_since(start));
  }

  void finish() {
    save();
    writer_.finish();
    if (!options_.trace.empty())
      write_trace(options_.trace, config_, state_, trainer_.compaction().full(), trainer_.compaction().structure(),
                  trainer_.parameters(), train_.count());
    folder_.write_result(result());
  }

  nlohmann::ordered_json result() const {
    const std::size_t replicas = trainer_.replicas();
    std::vector<double> final, over_epochs, over_cycles;
    for (std::size_t r = 0; r < replicas; ++r) {
      const auto at = [&](std::int32_t epoch) { return accuracies(epoch - 1)[r]; };
      double epochs = 0, cycles = 0;
      for (std::int32_t epoch = 1; epoch <= config_.epochs; ++epoch) epochs += at(epoch);
      for (std::int32_t t = 1; t <= config_.cycles; ++t) cycles += at(config_.cycle_end(t));
      final.push_back(at(config_.epochs));
      over_epochs.push_back(epochs / config_.epochs);
      over_cycles.push_back(cycles / config_.cycles);
    }
    const auto& structure = trainer_.compaction().structure();
    nlohmann::ordered_json active = nlohmann::ordered_json::object();
    for (std::size_t layer = 0; layer < structure.layers(); ++layer)
      for (std::int32_t r = 0; r < structure.replicas(); ++r)
        active[trainer_.settings().architecture.hidden_name(layer)].push_back(structure.active(layer, r));
    const auto summary = [](const std::vector<double>& values) {
      double squares = 0;
      for (const double value : values) squares += (value - mean(values)) * (value - mean(values));
      nlohmann::ordered_json json{{"mean", mean(values)}};
      if (values.size() > 1) json["standard_deviation"] = std::sqrt(squares / static_cast<double>(values.size() - 1));
      json["seeds"] = values;
      return json;
    };
    return {{"cambium", CAMBIUM_VERSION},
            {"config", to_json(config_)},
            {"seeds", config_.seeds},
            {"parameters", trainer_.settings().architecture.parameter_count()},
            {"active_units", active},
            {"steps", steps_done()},
            {"accuracy", summary(final)},
            {"taa_epochs", summary(over_epochs)},
            {"taa_cycles", summary(over_cycles)}};
  }

  static std::string now() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  }

  void begin_session() {
    first_step_ = steps_done();
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
         {"at_step", steps_done()},
         {"why", end == RunEnd::done ? "done" : "interrupted"},
         {"seconds", seconds},
         {"steps_per_second", static_cast<double>(steps_done() - first_step_) / std::max(seconds, 1e-9)}});
  }

  Device& device_;
  const RunConfig& config_;
  RunFolder& folder_;
  const RunOptions& options_;
  DeviceImages train_, test_;
  std::uint64_t steps_per_epoch_;
  Trainer trainer_;
  Buffer<float> losses_;  // of the epoch under way, laid out like its order
  Buffer<std::uint8_t> correct_;
  Buffer<std::int32_t> indices_;
  RunState state_;
  BackgroundWriter writer_;
  InterruptWatch watch_;
  Clock::time_point last_checkpoint_ = Clock::now();
  double seconds_per_step_ = 0;  // 0: not known yet
  std::uint64_t first_step_ = 0;
};

}  // namespace

RunEnd train(Device& device, const RunConfig& config, DataSet data, RunFolder& folder, const RunOptions& options) {
  return Run(device, config, data, folder, options).go();
}

}  // namespace cambium
