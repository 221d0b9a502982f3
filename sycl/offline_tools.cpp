#include "sycl/offline_tools.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "base/error.hpp"

namespace cambium {
namespace {

namespace fs = std::filesystem;

constexpr const char* intel_targets[] = {"tgllp", "dg2", "mtl", "pvc", "bmg"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

fs::path on_path(const std::string& program) {
  std::stringstream folders(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto file = fs::path(folder) / program; access(file.c_str(), X_OK) == 0) return file;
  return {};
}

}  // namespace

OfflineTarget OfflineTarget::parse(const std::string& name) {
  const auto digits_after = [&](std::size_t at) {
    return name.size() > at && name.find_first_not_of("0123456789abcdef", at) == std::string::npos && name[at] >= '0' &&
           name[at] <= '9';
  };
  if (name == "spirv") return {name, Vendor::spirv};
  if (std::find(std::begin(intel_targets), std::end(intel_targets), name) != std::end(intel_targets))
    return {name, Vendor::intel};
  if (name.starts_with("sm_") && digits_after(3)) return {name, Vendor::nvidia};
  if (name.starts_with("gfx") && digits_after(3)) return {name, Vendor::amd};
  throw_input_error(
      "unknown target '{}'. Known: spirv; NVIDIA sm_80, sm_90 and other sm_NN; Intel {}; AMD gfx90a, "
      "gfx1100 and other gfxNNN",
      name, fmt::join(intel_targets, ", "));
}

OfflineTools OfflineTools::find(const fs::path& root) {
  OfflineTools tools;
  tools.root = root;
  if (const char* variable = std::getenv("CAMBIUM_GPU_ROOT"); root.empty() && variable != nullptr)
    tools.root = variable;
  if (!tools.root.empty()) {
    if (!is_there(tools.root / "usr/bin"))
      throw_input_error("{} is not a folder with offline compilers. Make one: setup/gpu_root.sh {}",
                        tools.root.string(), tools.root.string());
    tools.root = fs::canonical(tools.root);
    for (const auto& entry : fs::directory_iterator(tools.root / "usr/bin"))
      if (entry.path().filename().string().starts_with("ocloc")) tools.ocloc = entry.path();
    if (is_there(tools.root / "usr/lib/llvm-23/bin/llc")) tools.llvm = tools.root / "usr/lib/llvm-23/bin";
    tools.device_libraries = tools.root / "usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode";
  }
  if (tools.ocloc.empty()) tools.ocloc = on_path("ocloc");
  if (tools.llvm.empty())
    tools.llvm =
        is_there("/usr/lib/llvm-23/bin/llc") ? fs::path("/usr/lib/llvm-23/bin") : on_path("llc-23").parent_path();
  for (const char* folder : {"/usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode", "/opt/rocm/amdgcn/bitcode"})
    if (!is_there(tools.device_libraries / "ocml.bc")) tools.device_libraries = folder;
  if (!is_there(tools.device_libraries / "ocml.bc")) tools.device_libraries.clear();

  std::vector<fs::path> toolkits;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* folder = std::getenv(variable)) toolkits.emplace_back(folder);
  if (const auto ptxas = on_path("ptxas"); !ptxas.empty())
    toolkits.push_back(fs::canonical(ptxas).parent_path().parent_path());
  toolkits.emplace_back("/usr/local/cuda");
  for (const auto& toolkit : toolkits) {
    if (tools.ptxas.empty() && is_there(toolkit / "bin/ptxas")) tools.ptxas = toolkit / "bin/ptxas";
    if (tools.cuda.empty() && is_there(toolkit / "nvvm/libdevice")) tools.cuda = toolkit;
  }
  return tools;
}

std::string OfflineTools::missing(Vendor vendor) const {
  constexpr const char* make_root = "run setup/gpu_root.sh build/gpu-root and pass --tools build/gpu-root";
  switch (vendor) {
    case Vendor::spirv:
      return {};
    case Vendor::nvidia:
      if (ptxas.empty()) return "ptxas not found: put the CUDA toolkit on PATH or name it by CUDA_PATH";
      return {};
    case Vendor::intel:
      return ocloc.empty() ? fmt::format("ocloc not found: {}", make_root) : "";
    case Vendor::amd:
      if (llvm.empty()) return fmt::format("LLVM 23 not found: {}", make_root);
      if (device_libraries.empty()) return fmt::format("ROCm's device libraries not found: {}", make_root);
      return {};
  }
  return {};
}

}  // namespace cambium
