// A run: trains the networks of one configuration from the first epoch to the last, or goes on where it was stopped.
#pragma once

#include <filesystem>
#include <string>

#include "lab/config/config.hpp"
#include "lab/run/run_folder.hpp"
#include "lab/training/trainer.hpp"
#include "streams/data/images.hpp"

namespace cambium {

class Device;

struct RunOptions {
  double checkpoint_seconds = 60;  // between two checkpoints
  std::string trace;               // a file, or empty
  bool tensorboard = false;        // write event files, too
  bool quiet = false;              // no progress
};

// What the networks of a run are made with.
TrainerSettings trainer_settings(const RunConfig& config);

enum class RunEnd { done, interrupted };

// Interrupted, by SIGINT or SIGTERM, means that a checkpoint holds all that was done. When done, the result is in the
// folder.
RunEnd train(Device& device, const RunConfig& config, DataSet data, RunFolder& folder, const RunOptions& options);

}  // namespace cambium
