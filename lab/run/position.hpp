// Numbers that follow from the position of a run: steps, the next edit, ages after an edit.
#pragma once

#include "lab/results/progress_snapshot.hpp"

namespace cambium {

// Steps of one phase, and those done in the current phase and in all.
inline std::uint64_t steps_per_phase(const RunConfig& config) { return config.curriculum.step_numbers(); }
inline std::uint64_t steps_in_phase(const RunConfig& config, const ProgressSnapshot& at) {
  return config.curriculum.first_step(at.period) + at.step;
}
inline std::uint64_t steps_in_all(const RunConfig& config, const ProgressSnapshot& at) {
  return (at.ticket ? steps_per_phase(config) : 0) + steps_in_phase(config, at);
}
inline bool is_finished(const RunConfig& config, const ProgressSnapshot& at) {
  return at.period == config.periods() && at.ticket == config.ticket;
}

inline std::int32_t next_event(const RunConfig& config, const ProgressSnapshot& at) {
  return config.events().first() + at.events;
}
inline std::int32_t last_event(const RunConfig& config, const ProgressSnapshot& at) {
  return next_event(config, at) - 1;
}
inline bool event_is_due(const RunConfig& config, const ProgressSnapshot& at) {
  return !at.ticket && at.events < config.events().count() && at.step == 0 &&
         at.period == config.cycle_end(next_event(config, at));
}

// Since the last edit, in steps and in periods. Without an edit the age in steps is that of the run.
inline std::uint64_t age_in_steps(const RunConfig& config, const ProgressSnapshot& at) {
  if (at.events == 0) return at.step;
  return steps_in_phase(config, at) - config.curriculum.first_step(config.cycle_end(last_event(config, at)));
}
inline double age_in_periods(const RunConfig& config, const ProgressSnapshot& at) {
  return at.period - config.cycle_end(last_event(config, at)) +
         (at.step == 0 ? 0.0 : static_cast<double>(at.step) / config.curriculum.step_numbers(at.period));
}

}  // namespace cambium
