#include "lab/training/newborn_speeds.hpp"

#include <algorithm>

namespace cambium {

NewbornSpeeds newborn_speeds(const RunConfig& config, const BirthEvents& births, std::int32_t events,
                             std::uint64_t step) {
  NewbornSpeeds result;
  const std::int32_t first = config.events().first();
  std::vector<float> of_event(static_cast<std::size_t>(first), 1.0f);  // by number
  bool any = false;
  for (std::int32_t event = first; event < first + events; ++event) {
    of_event.push_back(1.0f);
    const auto birth = config.curriculum.first_step(config.cycle_end(event));
    for (const auto& name : config.grow.interventions) {
      const auto& entry = intervention(name);
      const auto speed = entry.speed ? entry.speed(config.grow.intervention) : NewbornSpeed{};
      if (speed.factor == 1.0f || step >= birth + speed.steps) continue;
      of_event.back() *= speed.factor;
      result.until = std::min(result.until, birth + speed.steps);
      any = true;
    }
  }
  for (std::size_t layer = 0; any && layer < births.size(); ++layer)
    for (auto& factors = result.factors.emplace_back(); const std::int32_t birth : births[layer])
      factors.push_back(birth < 0 ? 1.0f : of_event[static_cast<std::size_t>(birth)]);
  return result;
}

}  // namespace cambium
