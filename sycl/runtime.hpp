// Process-wide preparation: what must be in the environment before the first SYCL call, and where caches live.
#pragma once

#include <filesystem>
#include <string>

namespace cambium {

// Makes the OpenCL CPU device that ships beside the SYCL runtime visible, unless OCL_ICD_FILENAMES is set already, and
// pins oneMKL's arithmetic to one code path. Called by everything that enumerates devices; cheap after the first time.
void prepare_runtime();

// CAMBIUM_CACHE_DIR, else XDG_CACHE_HOME/cambium, else ~/.cache/cambium; empty when none of them is set.
std::filesystem::path cache_directory();

// The folder of the SYCL runtime library in use.
std::filesystem::path sycl_library_directory();

}  // namespace cambium
