// A training step as one submission: the launches of a step are collected and submitted as one SYCL graph.
//
// Between begin() and end() a launch is not submitted: its kernel and range are noted, and its arguments are written to
// the next slot of a block. end() looks up a recording with the same kernels and ranges, makes one if there is none,
// copies the block to the recording's device memory, from which its kernels read their arguments, and submits the
// graph.
//
// A recording is used for an equal sequence of launches only, and every argument is copied for every step. If a copy or
// a vendor library needs the device's queue in the middle of a step, the collected launches are submitted one by one
// first; the rest of that step is submitted directly.
#pragma once

#include <array>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <sycl/sycl.hpp>
#include <vector>

#include "sycl/device.hpp"
#include "sycl/submission_trial.hpp"

namespace cambium {

class StepRecorder {
 public:
  StepRecorder(sycl::queue queue, const DeviceInfo& device, GraphUse use);
  ~StepRecorder();
  StepRecorder(const StepRecorder&) = delete;

  // True if launches are passed to add(), with kernels that read their arguments from memory.
  bool collecting() const { return collecting_; }
  template <int dimensions>
  void add(const BuiltKernel& kernel, const sycl::nd_range<dimensions>& range, KernelArguments arguments);

  void begin();
  void end();
  void abandon();  // drops what has been collected since begin()

  // Called before other work is submitted: submits the collected launches; the rest of the step is not recorded.
  void release();
  // The same for a backend that can never be recorded. Throws InputError if graphs were asked for.
  void release_for_backend(std::string_view operation, std::string_view backend);

  // Sets the use of graphs for later steps; `automatic` chooses by timing on any device that can record.
  void set_use(GraphUse use);

  const SubmissionCounts& counts() const { return counts_; }
  void count_launch() { ++counts_.launches; }

 private:
  struct Launch {
    const BuiltKernel* kernel;
    int dimensions;
    std::array<std::size_t, 3> global, local;  // the first `dimensions` of them
    std::size_t offset, size;                  // of the arguments in the block
    bool operator==(const Launch&) const = default;
  };
  struct Recording;

  void submit(sycl::handler& handler, const Launch& launch, std::byte* block) const;
  void submit_one_by_one();
  // Null if the device refuses. `known`: the recording existed already.
  Recording* find_or_record(bool& known);
  void report_choice() const;
  double now();

  sycl::queue queue_;
  std::string device_name_;
  bool can_record_;
  bool required_ = false;                 // graphs were asked for: not to use them is an error
  bool use_graph_ = false;                // unless a trial is going on
  std::optional<SubmissionTrial> trial_;  // until it has decided

  bool in_step_ = false, collecting_ = false;
  bool recorded_ = false;  // the step so far needs no other submission
  std::vector<Launch> launches_;
  std::vector<std::byte> arguments_;
  std::list<Recording> recordings_;  // most recently used first
  std::byte* direct_block_ = nullptr;
  std::size_t direct_block_bytes_ = 0;
  SubmissionCounts counts_;
};

}  // namespace cambium
