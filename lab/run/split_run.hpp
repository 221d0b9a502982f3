// A run on several devices: each device trains some of the seeds, as a separate run in a separate thread.
//
//   RUN/parts-2/0, RUN/parts-2/1    the runs of the parts, with their own checkpoints, until all are done
//
// Then their files are merged into RUN (lab/run/merged_run.hpp) and the parts are removed. The parts are fixed when the
// run begins. It can be resumed on other devices; fewer devices than parts train the parts in turn.
#pragma once

#include <memory>

#include "lab/run/run.hpp"

namespace cambium {

// Whether the run in the folder has parts.
bool has_parts(const RunFolder& folder);

// Like train(), on several devices; at most one per seed is used. If a part fails, the others stop with a checkpoint.
RunEnd train_in_parts(const std::vector<std::unique_ptr<Device>>& devices, const RunConfig& config, const DataSet& data,
                      RunFolder& folder, const RunOptions& options);

// Removes the parts of a finished run.
void remove_parts(const RunFolder& folder);

}  // namespace cambium
