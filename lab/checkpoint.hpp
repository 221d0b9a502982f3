// Checkpoints: everything that a run needs to go on with the same bits, as a safetensors file.
//
//   fc1.weight, fc1.bias, ...            parameters in PyTorch's layout, replicas on the first axis
//   mask.fc1, ...                        which units are active, one byte each
//   optimizer.<moment>.<parameter>       the optimiser's moments, laid out like the parameters
//   optimizer.steps                      steps taken by every layer
//   run.*                                sums over the epoch under way, and the accuracies so far
//   metadata                             format, version, config, seeds, epoch, step, bytes of metrics.jsonl
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <vector>

#include "lab/config.hpp"
#include "lab/safetensors.hpp"
#include "lab/trainer.hpp"

namespace cambium {

// Where a run stands.
struct RunState {
  std::int32_t epoch = 0;    // whole epochs done
  std::uint32_t step = 0;    // steps done of the epoch under way
  std::vector<double> loss;  // (R) sum over the images of that epoch so far
  std::vector<std::uint64_t> correct;
  std::vector<double> test_accuracy;  // (epochs done, R)
  std::vector<float> step_losses;     // (steps done, R), when a trace is kept
  std::uint64_t metrics_bytes = 0;
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
