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
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sycl/kernel_source.hpp"
#include "sycl/machine_code.hpp"
#include "sycl/runtime_compiler.hpp"

namespace cambium {

enum class Vendor { spirv, nvidia, intel, amd };

struct OfflineTarget {
  std::string name;
  Vendor vendor;

  // Throws InputError that names the known ones.
  static OfflineTarget parse(const std::string& name);
};

// Where the vendors' programs are. An empty path: not found.
struct OfflineTools {
  std::filesystem::path root;  // folder made by setup/gpu_root.sh
  std::filesystem::path cuda;  // folder with nvvm/libdevice
  std::filesystem::path ptxas, ocloc;
  std::filesystem::path llvm;              // folder with llvm-link, opt, llc, llvm-mc and ld.lld of LLVM 23
  std::filesystem::path device_libraries;  // folder with ROCm's ocml.bc

  // `root` as given, else CAMBIUM_GPU_ROOT; then PATH, CUDA_PATH and the vendors' usual folders.
  static OfflineTools find(const std::filesystem::path& root);
  std::string missing(Vendor vendor) const;  // what is missing and how to get it; empty: nothing
};

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
