// Two-Speed: for a number of steps after its birth, the displacement of a unit's weights and bias is multiplied.
//
// The optimiser scales the displacement, not the gradient (UnitSpeeds in optim/optimizer.hpp); its moments do not
// change.

#include "plasticity/intervention.hpp"

namespace cambium {

Intervention two_speed() {
  return {.name = "two_speed",
          .help = "newborns learn two_speed_r times as fast for two_speed_steps steps",
          .speed = [](const InterventionSettings& settings) {
            return NewbornSpeed{settings.two_speed_factor, settings.two_speed_steps};
          }};
}

}  // namespace cambium
