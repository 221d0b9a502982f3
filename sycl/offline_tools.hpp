// The vendors' programs that turn a compiled kernel into machine code, and the GPUs that they know.
#pragma once

#include <filesystem>
#include <string>

namespace cambium {

enum class Vendor { spirv, nvidia, intel, amd };

struct OfflineTarget {
  std::string name;
  Vendor vendor;

  // Throws InputError that lists the known targets.
  static OfflineTarget parse(const std::string& name);
};

// The paths of the vendors' programs; an empty path: not found.
struct OfflineTools {
  std::filesystem::path root;  // folder made by setup/gpu_root.sh
  std::filesystem::path cuda;  // folder with nvvm/libdevice
  std::filesystem::path ptxas, ocloc;
  std::filesystem::path llvm;              // folder with llvm-link, opt, llc, llvm-mc and ld.lld of LLVM 23
  std::filesystem::path device_libraries;  // folder with ROCm's ocml.bc

  // `root` as given, else CAMBIUM_GPU_ROOT; then PATH, CUDA_PATH and the vendors' usual folders.
  static OfflineTools find(const std::filesystem::path& root);
  std::string missing(Vendor vendor) const;  // the missing program and how to get it; empty if none is missing
};

}  // namespace cambium
