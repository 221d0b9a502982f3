// Merges the parts of a run: runs of the same configuration, each with some of the seeds, in their order.
//
// The bits of a network do not depend on the other networks of its run, so the merged files equal those of one run with
// all seeds on the same kind of device.
#pragma once

#include <filesystem>
#include <vector>

#include "lab/config/config.hpp"
#include "lab/run/run_folder.hpp"

namespace cambium {

struct RunPart {
  std::filesystem::path folder;
  RunConfig config;  // with the seeds of the part
};

// Writes all files of the run, result.json last. All parts must be done. Throws InputError if their files are
// inconsistent.
void merge_parts(const RunFolder& folder, const RunConfig& config, const std::vector<RunPart>& parts);

}  // namespace cambium
