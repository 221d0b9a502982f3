#include "sycl/runtime.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <sycl/sycl.hpp>

namespace cambium {
namespace {

std::filesystem::path folder_from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? std::filesystem::path(value) : std::filesystem::path();
}

}  // namespace

std::filesystem::path sycl_library_directory() {
  // Any function that lives in libsycl.so tells where the library was loaded from.
  const auto function = static_cast<std::vector<sycl::platform> (*)()>(&sycl::platform::get_platforms);
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(function), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code ignored;
  const auto real = std::filesystem::canonical(info.dli_fname, ignored);
  return real.parent_path();
}

void prepare_runtime() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto cpu_driver = sycl_library_directory() / "libintelocl.so";
    std::error_code ignored;
    if (std::filesystem::exists(cpu_driver, ignored)) setenv("OCL_ICD_FILENAMES", cpu_driver.c_str(), /*overwrite=*/0);
    // oneDNN writes its errors to stdout, even of a question whether a device is one of its own; we report them.
    setenv("ONEDNN_VERBOSE", "none", /*overwrite=*/0);
    // The result of a oneMKL call must not depend on how its operands happen to be aligned.
    setenv("MKL_CBWR", "AUTO", /*overwrite=*/0);
  });
}

std::string runtime_compiler_target(const std::string& backend, const std::string& device_version) {
  if (backend == "cuda") return "sm_60";
  if (backend == "hip") return device_version.substr(0, device_version.find(':'));
  return {};
}

std::filesystem::path cache_directory() {
  if (auto own = folder_from_environment("CAMBIUM_CACHE_DIR"); !own.empty()) return own;
  if (auto xdg = folder_from_environment("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "cambium";
  if (auto home = folder_from_environment("HOME"); !home.empty()) return home / ".cache" / "cambium";
  return {};
}

}  // namespace cambium
