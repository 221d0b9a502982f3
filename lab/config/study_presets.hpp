// How the study trains on each stream: the defaults of configuration keys that depend on the stream. The stream itself
// (streams/stream.hpp) describes only its tasks.
#pragma once

#include <cstdint>
#include <string>

#include "optim/optimizer.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

struct StudyPreset {
  // Rand. Smooth-Leaky: shape and range of the slopes.
  struct Slopes {
    double c = 0.8, p = 1.0, lower = 0.3, upper = 0.6;
  };

  std::string stream;
  std::string network = "mlp";
  std::uint32_t batch = 256;
  bool replay = false;                                               // Tiny ER
  OptimizerSettings::Kind optimizer = OptimizerSettings::Kind::sgd;  // Adam at a constant rate; SGD with cosine decay
  double rate = 0.01;
  double rate_with_slopes = 0.01;  // with Rand. Smooth-Leaky
  bool standardised = false, augment = false;
  Slopes slopes;

  bool adam() const { return optimizer == OptimizerSettings::Kind::adam; }
};

// The preset of a stream, by the stream's name. Every stream has one.
const StudyPreset& study_preset(const std::string& stream);

// The stream at the study's length, with the preset's batch size and replay.
CurriculumSettings study_settings(const StreamEntry& entry);

}  // namespace cambium
