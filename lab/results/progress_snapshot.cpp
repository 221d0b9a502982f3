#include "lab/results/progress_snapshot.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace cambium {
namespace {

std::int32_t whole_number(const TensorFile& file, const std::string& key) {
  const auto& text = file.text(key);
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw_input_error("{}: {} is '{}' and not a whole number; the file is damaged", file.source(), key, text);
  return number;
}

// Checks the number of finished edits. At the end of a cycle two numbers are possible: before and after its edit.
void check_events(const TensorFile& file, const RunConfig& config, const ProgressSnapshot& at) {
  const EventPlan plan = config.events();
  if (at.events < 0 || at.events > plan.count())
    throw_input_error("{}: {} edits are finished, but the run has {}; the file is damaged", file.source(), at.events,
                      plan.count());
  std::int32_t before = 0, until_now = 0;
  for (std::int32_t event = plan.first(); event < plan.first() + plan.count(); ++event) {
    const std::int32_t period = config.cycle_end(event);
    before += at.ticket || period < at.period || (period == at.period && at.step > 0);
    until_now += at.ticket || period <= at.period;
  }
  if (at.events < before || at.events > until_now)
    throw_input_error("{}: {} edits are finished instead of {} at {} {}, step {}; the file is damaged", file.source(),
                      at.events, until_now, config.period_name(), at.period, at.step);
}

}  // namespace

ProgressSnapshot read_progress_snapshot(const TensorFile& file, const RunConfig& config) {
  if (file.text("format") != checkpoint_format)
    throw_input_error("{}: unexpected format {}; a checkpoint has format {}", file.source(), file.text("format"),
                      checkpoint_format);
  if (file.text("config") != to_json(config).dump())
    throw_input_error("{}: the checkpoint is of a run with another configuration: {}", file.source(),
                      file.text("config"));
  const auto& phase = file.text("phase");
  const std::int32_t period = whole_number(file, "period"), step = whole_number(file, "step");
  const std::int32_t events = whole_number(file, "events");
  const bool ticket = phase == "ticket";
  if (phase != "cycles" && !(ticket && config.ticket))
    throw_input_error("{}: this run has no phase '{}'; the file is damaged", file.source(), phase);
  const auto steps = config.curriculum.step_numbers(std::clamp(period, 0, config.periods() - 1));
  if (period < 0 || period > config.periods() || step < 0 || static_cast<std::uint32_t>(step) > steps)
    throw_input_error("{}: the progress is {} {}, step {}, but the run has {} with {} steps each; the file is damaged",
                      file.source(), config.period_name(), period, step, config.periods(), steps);
  const ProgressSnapshot progress{ticket, period, static_cast<std::uint32_t>(step), events};
  check_events(file, config, progress);
  return progress;
}

}  // namespace cambium
