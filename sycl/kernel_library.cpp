#include "sycl/kernel_library.hpp"

#include <CL/cl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <sycl/backend/opencl.hpp>
#include <utility>

#include "base/digest.hpp"
#include "sycl/handles.hpp"
#include "sycl/kernel_cache.hpp"
#include "sycl/runtime.hpp"

namespace cambium {
namespace {

namespace syclexp = sycl::ext::oneapi::experimental;

// Everything that can change the binary: sources, options, compiler, device and driver.
std::string cache_key(const KernelUnit& unit, ArgumentPlace place, const DeviceInfo& device) {
  std::vector<std::string> parts{unit.source()};
  for (const auto& header : embedded_headers()) parts.emplace_back(header.text);
  for (const auto& option : compiler_options(unit, place)) parts.push_back(option);
  std::error_code ignored;
  const auto compiler = sycl_library_directory() / "libsycl-jit.so";
  parts.push_back(fmt::format("{}.{}.{} {} {}", __LIBSYCL_MAJOR_VERSION, __LIBSYCL_MINOR_VERSION,
                              __LIBSYCL_PATCH_VERSION, __SYCL_COMPILER_VERSION,
                              std::filesystem::file_size(compiler, ignored)));
  parts.insert(parts.end(), {device.backend, device.vendor, device.name, device.driver});
  return content_hash(parts);
}

// Stores OpenCL programs as binaries and loads them again without the compiler: a load takes a millisecond.
namespace opencl {

constexpr std::string_view kernel_prefix = "__sycl_kernel_";  // how DPC++ names the entry point of a free function

void check(cl_int status, std::string_view call) {
  if (status != CL_SUCCESS) throw_device_error("{} failed with OpenCL error {}", call, status);
}

std::vector<unsigned char> binary_of(const sycl::kernel_bundle<sycl::bundle_state::executable>& bundle) {
  const auto programs = sycl::get_native<sycl::backend::opencl>(bundle);
  expect(programs.size() == 1, "a kernel bundle of {} OpenCL programs", programs.size());
  std::size_t size = 0;
  check(clGetProgramInfo(programs[0], CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), "clGetProgramInfo");
  std::vector<unsigned char> binary(size);
  unsigned char* target = binary.data();
  check(clGetProgramInfo(programs[0], CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), "clGetProgramInfo");
  return binary;
}

// Null if the driver does not accept the binary.
cl_program program_from(const std::vector<unsigned char>& binary, const sycl::queue& queue) {
  const cl_context context = sycl::get_native<sycl::backend::opencl>(queue.get_context());
  const cl_device_id device = sycl::get_native<sycl::backend::opencl>(queue.get_device());
  const unsigned char* data = binary.data();
  const std::size_t size = binary.size();
  cl_int loaded = CL_SUCCESS, created = CL_SUCCESS;
  const cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &data, &loaded, &created);
  if (created == CL_SUCCESS && loaded == CL_SUCCESS &&
      clBuildProgram(program, 1, &device, "", nullptr, nullptr) == CL_SUCCESS)
    return program;
  if (program != nullptr) clReleaseProgram(program);
  return nullptr;
}

sycl::kernel kernel_from(cl_program program, std::string_view name, const sycl::queue& queue) {
  cl_int status = CL_SUCCESS;
  const cl_kernel kernel = clCreateKernel(program, fmt::format("{}{}", kernel_prefix, name).c_str(), &status);
  check(status, fmt::format("clCreateKernel({})", name));
  return sycl::make_kernel<sycl::backend::opencl>(kernel, queue.get_context());
}

}  // namespace opencl
}  // namespace

sycl::kernel_bundle<sycl::bundle_state::executable> compile(const KernelUnit& unit, const sycl::queue& queue,
                                                            ArgumentPlace place) {
  syclexp::include_files headers;
  for (const auto& header : embedded_headers()) headers.add(std::string(header.path), std::string(header.text));
  auto unbuilt = syclexp::create_kernel_bundle_from_source(queue.get_context(), syclexp::source_language::sycl,
                                                           unit.source(), syclexp::properties{headers});
  // The runtime compiler is not known to be safe on several threads.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::string log;
  try {
    return syclexp::build(
        unbuilt, std::vector{queue.get_device()},
        syclexp::properties{syclexp::build_options{compiler_options(unit, place)}, syclexp::save_log{&log}});
  } catch (const sycl::exception& error) {
    throw_device_error("{} does not compile for {}:\n{}", unit.name(),
                       queue.get_device().get_info<sycl::info::device::name>(),
                       located_messages(log.empty() ? error.what() : log, "rtc_[0-9]+\\.cpp", unit.file()));
  }
}

// Either a bundle that was compiled in this process, or an OpenCL program that came from the cache.
struct KernelLibrary::BuiltUnit {
  std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> bundle;
  cl_program program = nullptr;
  std::deque<std::pair<std::string, BuiltKernel>> kernels;  // references to its elements stay valid as it grows

  BuiltUnit() = default;
  BuiltUnit(const BuiltUnit&) = delete;
  ~BuiltUnit() {
    kernels.clear();
    if (program != nullptr) clReleaseProgram(program);
  }
};

KernelLibrary::KernelLibrary(Device& device, bool use_disk_cache) : device_(device), use_disk_cache_(use_disk_cache) {}
KernelLibrary::~KernelLibrary() = default;

const BuiltKernel& KernelLibrary::get(const KernelUnit& unit, std::string_view name, ArgumentPlace place) {
  const auto& known_unit = built_[&unit][static_cast<std::size_t>(place)];
  BuiltUnit& built = known_unit ? *known_unit : build(unit, place);
  for (const auto& [known, kernel] : built.kernels)
    if (known == name) return kernel;

  const auto& queue = device_.state().queue_handle();
  return calling_sycl(fmt::format("{} of {}", name, unit.name()), [&]() -> const BuiltKernel& {
    auto kernel = built.program != nullptr ? opencl::kernel_from(built.program, name, queue)
                                           : built.bundle->ext_oneapi_get_kernel(std::string(name));
    const auto largest = kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(queue.get_device());
    return built.kernels.emplace_back(std::string(name), BuiltKernel{std::move(kernel), largest}).second;
  });
}

void KernelLibrary::build_all(std::span<const KernelUnit* const> units) {
  for (const KernelUnit* unit : units)
    if (!built_[unit][static_cast<std::size_t>(ArgumentPlace::parameter)]) build(*unit, ArgumentPlace::parameter);
}

KernelLibrary::BuiltUnit& KernelLibrary::build(const KernelUnit& unit, ArgumentPlace place) {
  const auto start = std::chrono::steady_clock::now();
  const auto& queue = device_.state().queue_handle();
  auto built = std::make_unique<BuiltUnit>();

  const bool cached = use_disk_cache_ && device_.info().backend == "opencl" && !cache_directory().empty();
  const KernelCache cache(cache_directory() / "kernels");
  const std::string key = cached ? cache_key(unit, place, device_.info()) : "";
  if (cached)
    if (const auto binary = cache.load(key)) built->program = opencl::program_from(*binary, queue);

  const bool loaded = built->program != nullptr;
  if (!loaded) {
    built->bundle = compile(unit, queue, place);
    if (cached) cache.store(key, opencl::binary_of(*built->bundle));
  }

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  spdlog::debug("{}{}: {} in {:.0f} ms", unit.name(), place == ArgumentPlace::memory ? ", for graphs" : "",
                loaded ? "loaded" : "compiled", seconds * 1e3);
  ++(loaded ? statistics_.loaded : statistics_.compiled);
  statistics_.seconds += seconds;

  auto& entry = built_[&unit][static_cast<std::size_t>(place)];
  entry = std::move(built);
  return *entry;
}

}  // namespace cambium
