// PRUNE's rewind: restores earlier parameters and resets their optimiser state.
#pragma once

#include <string>

#include "plasticity/full_form.hpp"

namespace cambium {

class Device;

struct RewindSettings {
  enum class To { init, snapshot, none };
  enum class Scope { all, head, masked };  // every parameter; all fully connected layers; the hidden ones only

  To to = To::init;
  std::int32_t epoch = 0;  // the epoch after which the snapshot is taken
  Scope scope = Scope::all;
  bool optimizer = true;     // reset moments and step counts in the scope
  bool when_nothing = true;  // rewind also at an edit that removes no unit
};
std::string name_of(RewindSettings::To to);
std::string name_of(RewindSettings::Scope scope);

// Parameters in the scope := those of `earlier`, in the full layout, of active and inactive units.
void rewind(Device& device, const RewindSettings& settings, View<const float> earlier, const FullForm& networks);

// Moments of units that are active before and inactive after := 0.
void clear_moments_of_removed(Device& device, const Structure& before, const Structure& after,
                              const FullForm& networks);

}  // namespace cambium
