// Machine code of kernel units for GPUs that need not exist, by DPC++'s runtime compiler and the vendors' assemblers.
//
//   spirv                     SPIR-V, what Intel GPUs and OpenCL devices get
//   sm_80, sm_90, ...         NVIDIA: PTX, then ptxas
//   tgllp, dg2, pvc, bmg      Intel: SPIR-V, then ocloc
//   gfx90a, gfx1100, ...      AMD: LLVM bitcode, ROCm's device libraries, then LLVM's llc and lld
//
// A target whose assembler is missing yields the vendor's input (PTX, SPIR-V, bitcode) and no resources.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sycl/kernel_source.hpp"
#include "sycl/machine_code.hpp"
#include "sycl/offline_tools.hpp"
#include "sycl/runtime_compiler.hpp"

namespace cambium {

// One source with its definitions.
struct OfflineUnit {
  std::string name;  // file and definitions, for people
  std::string stem;  // the same, for file names
  bool for_cpus;     // compiled for no GPU: its file is called ..._cpu.sycl
  RuntimeCompilerInput input;
};
std::vector<OfflineUnit> offline_units(std::span<const KernelUnit* const> units);
// A file on disk that is not part of the program; its headers are searched from the working folder.
OfflineUnit offline_unit(const std::filesystem::path& source, const std::vector<std::string>& definitions);

struct OfflineResult {
  std::string unit, target;
  std::vector<std::string> files;        // written, names within the folder
  std::vector<KernelResources> kernels;  // empty if the assembler is missing
  std::string error;                     // empty: the unit was built
};

// Builds every unit for every target with `jobs` processes at a time, into `folder`, which exists. Units for CPUs are
// built for the target spirv only.
std::vector<OfflineResult> compile_offline(std::span<const OfflineUnit> units, std::span<const OfflineTarget> targets,
                                           const OfflineTools& tools, const std::filesystem::path& folder, int jobs);

}  // namespace cambium
