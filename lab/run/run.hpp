// A run: trains the networks of one configuration, from the start or from its checkpoint.
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
  std::string trace;               // file name; empty: no trace
  bool tensorboard = false;        // also write TensorBoard event files
  bool quiet = false;              // no progress bar
};

TrainerSettings trainer_settings(const RunConfig& config);

// interrupted: by SIGINT or SIGTERM; the checkpoint contains all steps. done: result.json is in the folder.
enum class RunEnd { done, interrupted };

RunEnd train(Device& device, const RunConfig& config, DataSet data, RunFolder& folder, const RunOptions& options);

}  // namespace cambium
