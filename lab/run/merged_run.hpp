// Makes one run of its parts: runs of the same configuration, each with a share of the seeds in their order.
//
// A network's bits do not depend on the networks that are trained beside it, so the files are those that one run of all
// seeds would have written on the same kind of device.
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

// Writes all files of the run, result.json last. All parts must be done. Throws InputError when their files do not fit
// together.
void merge_parts(const RunFolder& folder, const RunConfig& config, const std::vector<RunPart>& parts);

}  // namespace cambium
