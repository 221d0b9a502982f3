// Checkpoints: everything that a run needs to continue with the same bits, as a safetensors file.
//
//   tensors                              declared in
//   fc1.weight, mask.fc1, optimizer.*    checkpoint.cpp         parameters, masks, moments, step counts
//   birth.*, rewind.*                    edits.cpp              the event that activated a unit (-1: none); PRUNE's
//                                                               snapshot
//   run.*                                scores.cpp             sums of the current period and task; scores so far
//   run.step_losses, trace.*             trace_observer.cpp     data for --trace
//   diagnosis.reference                  cohort_observer.cpp    live parameters at the start of the current epoch
//   replay.images                        training_stream.cpp    images kept for replay in the current task
//   metadata                             archive.cpp            format, version, config, phase, period, step, events;
//                                                               checkpoint.cpp: lengths of the journals
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <vector>

#include "lab/run/observer.hpp"
#include "lab/training/trainer.hpp"

namespace cambium {

// Copies the state of the trainer and all parts now; the returned function makes the file, later and in any thread.
std::function<TensorFile()> make_checkpoint(const RunConfig& config, const ProgressSnapshot& at, Trainer& trainer,
                                            const std::vector<Persistent*>& parts);
// Loads the trainer, then all parts in their order, and cuts the journals back. Throws InputError if the file is
// damaged or belongs to another run.
ProgressSnapshot load_checkpoint(const TensorFile& file, const RunConfig& config, Trainer& trainer,
                                 const std::vector<Persistent*>& parts);

// Writes files in the background, one at a time.
class BackgroundWriter {
 public:
  ~BackgroundWriter();
  void write(std::function<TensorFile()> make, std::filesystem::path path);  // waits for the file before
  void finish();                                                             // throws if writing has failed

 private:
  std::future<void> task_;
};

}  // namespace cambium
