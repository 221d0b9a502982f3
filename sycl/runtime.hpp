// Process-wide preparation: what must be in the environment before the first SYCL call, and where caches live.
#pragma once

#include <filesystem>
#include <string>

namespace cambium {

// Makes the OpenCL CPU device that ships beside the SYCL runtime visible, unless OCL_ICD_FILENAMES is set already, and
// pins oneMKL's arithmetic to one code path. Called by everything that enumerates devices; cheap after the first time.
void prepare_runtime();

// The architecture that the runtime compiler generates code for, empty where it needs none.
//   hip   what the device reports as its version ("gfx90a:sramecc+:xnack-"), which is mandatory
//   cuda  sm_60: from sm_70 on, DPC++ 2026.2's back end crashes on kernels that take a struct by value. The driver
//         translates that PTX for newer GPUs.
std::string runtime_compiler_target(const std::string& backend, const std::string& device_version);

// CAMBIUM_CACHE_DIR, else XDG_CACHE_HOME/cambium, else ~/.cache/cambium; empty when none of them is set.
std::filesystem::path cache_directory();

// The folder of the SYCL runtime library in use.
std::filesystem::path sycl_library_directory();

}  // namespace cambium
