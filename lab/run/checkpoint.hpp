// Checkpoints: everything that a run needs to go on with the same bits, as a safetensors file.
//
//   fc1.weight, fc1.bias, ...            parameters in PyTorch's layout, replicas on the first axis
//   mask.fc1, ...                        which units are active, one byte each
//   optimizer.<moment>.<parameter>       the optimiser's moments, laid out like the parameters
//   optimizer.steps                      steps taken by every layer of every network
//   birth.fc1, ...                       the event at which an active unit was activated, -1 for the start
//   diagnosis.reference                  the live parameters when the epoch under way began, with diagnostics
//   rewind.<parameter>                   PRUNE's snapshot, once it is taken
//   replay.images                        what is kept for replay in the task under way
//   run.*                                sums over the period and the task under way, and the scores so far
//   trace.*                              what a trace will want to know of the edits so far, when one is kept
//   metadata                             format, version, config, phase, period, step, events, lengths of the journals
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <vector>

#include "lab/config/config.hpp"
#include "lab/results/progress_snapshot.hpp"
#include "lab/results/safetensors.hpp"
#include "lab/results/task_scores.hpp"
#include "lab/run/traced_edit.hpp"
#include "lab/training/trainer.hpp"
#include "plasticity/cohorts.hpp"

namespace cambium {

// Over the images that one network has seen in a period so far.
struct PeriodSums {
  std::uint64_t images = 0, correct = 0;
  double loss = 0;

  void add(std::uint64_t more_images, std::uint64_t more_correct, double more_loss) {
    images += more_images;
    correct += more_correct;
    loss += more_loss;
  }
};

struct RunState : ProgressSnapshot {
  std::vector<PeriodSums> period_sums;  // (R)
  std::vector<OnlineSums> task_sums;    // (R)
  PhaseScores scores, cycles_scores;    // of the phase under way, and of the cycles when they are over
  std::vector<std::int32_t> replay;     // (R, images) kept in the task under way
  BirthEvents births;
  std::vector<float> reference;  // for diagnostics: the live parameters when the period under way began
  std::vector<float> snapshot;   // parameters to rewind to, when they are not the initial ones
  std::vector<float> step_losses, cycles_losses;  // (steps done, R), of this phase and the one before, for a trace
  std::vector<TracedEdit> edits;                  // for a trace
  std::map<std::string, std::uint64_t> journals;  // bytes
};

// Takes everything down now; the result makes the file of it, later and on any thread.
std::function<TensorFile()> make_checkpoint(Trainer& trainer, const RunConfig& config, const RunState& state);
// Throws InputError when the file does not belong to such a run.
RunState restore_checkpoint(const TensorFile& file, const RunConfig& config, Trainer& trainer);

// Adds parameters to a file, under `prefix` + their names; and reads them.
void add_parameters(TensorFile& file, const std::string& prefix, const ParameterLayout& full,
                    std::span<const float> values);
std::vector<float> read_parameters(const TensorFile& file, const std::string& prefix, const ParameterLayout& full);
void add_masks(TensorFile& file, const std::string& prefix, const Architecture& architecture,
               const Structure& structure);
// A file with the masks of one network serves all replicas.
Structure read_masks(const TensorFile& file, const std::string& prefix, const Architecture& architecture,
                     std::int32_t replicas);

// Writes files while training goes on, one at a time.
class BackgroundWriter {
 public:
  ~BackgroundWriter();
  void write(std::function<TensorFile()> make, std::filesystem::path path);  // waits for the one before
  void finish();                                                             // throws what went wrong

 private:
  std::future<void> under_way_;
};

}  // namespace cambium
