// A run on several devices: every device trains a share of the seeds, as a run of its own in a thread of its own.
//
//   RUN/parts-2/0, RUN/parts-2/1    the runs of the shares while they are under way, with checkpoints of their own
//
// When all are done, their files are merged into RUN (lab/run/merged_run.hpp) and the parts are removed. The shares are
// fixed when the run begins: it can be taken up on other devices, also on fewer, which then take turns.
#pragma once

#include <memory>

#include "lab/run/run.hpp"

namespace cambium {

// Whether the run in the folder was begun in parts.
bool has_parts(const RunFolder& folder);

// As train() for one device. More devices than seeds are not used. If a part fails, the others stop with a checkpoint.
RunEnd train_in_parts(const std::vector<std::unique_ptr<Device>>& devices, const RunConfig& config, const DataSet& data,
                      RunFolder& folder, const RunOptions& options);

// Removes the parts of a run that is done.
void remove_parts(const RunFolder& folder);

}  // namespace cambium
