#include "sycl/kernel_library.hpp"

#include <CL/cl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <sycl/backend/opencl.hpp>
#include <utility>

#include "sycl/handles.hpp"
#include "sycl/kernel_cache.hpp"
#include "sycl/runtime.hpp"

namespace cambium {
namespace {

namespace syclexp = sycl::ext::oneapi::experimental;

std::vector<const KernelUnit*>& registry() {
  static std::vector<const KernelUnit*> units;
  return units;
}

std::string_view embedded_text(const std::string& path) {
  for (const auto& file : embedded_files())
    if (file.path == path) return file.text;
  throw std::logic_error(fmt::format("{} is not embedded in the program", path));
}

std::vector<std::string> compiler_options(const KernelUnit& unit) {
  // Embedded headers include each other by their path from the root, as they are named here.
  std::vector<std::string> options{"-iquote.", "-Wall", "-Wextra", "-Werror"};
#ifdef CAMBIUM_CHECKED
  options.push_back("-DCAMBIUM_CHECKED");
#endif
  for (const auto& definition : unit.definitions()) options.push_back("-D" + definition);
  return options;
}

// Everything that can change the binary: sources, options, compiler, device and driver.
std::string cache_key(const KernelUnit& unit, const DeviceInfo& device) {
  std::vector<std::string> parts{unit.file(), unit.text()};
  for (const auto& file : embedded_files())
    if (file.path.ends_with(".hpp")) parts.emplace_back(file.text);
  for (const auto& option : compiler_options(unit)) parts.push_back(option);
  std::error_code ignored;
  const auto compiler = sycl_library_directory() / "libsycl-jit.so";
  parts.push_back(fmt::format("{}.{}.{} {} {}", __LIBSYCL_MAJOR_VERSION, __LIBSYCL_MINOR_VERSION,
                              __LIBSYCL_PATCH_VERSION, __SYCL_COMPILER_VERSION,
                              std::filesystem::file_size(compiler, ignored)));
  parts.insert(parts.end(), {device.backend, device.vendor, device.name, device.driver});
  return content_hash(parts);
}

// The runtime compiler calls every source rtc_<number>.cpp. Its lines are those of our file, and so shall be the name.
std::string with_file_name(std::string log, const std::string& file) {
  constexpr std::string_view prefix = "rtc_", suffix = ".cpp";
  for (std::size_t at = log.find(prefix); at != std::string::npos; at = log.find(prefix, at + 1)) {
    const std::size_t end = log.find_first_not_of("0123456789", at + prefix.size());
    if (end == std::string::npos || log.compare(end, suffix.size(), suffix) != 0) continue;
    log.replace(at, end + suffix.size() - at, file);
  }
  return log;
}

// OpenCL programs, taken apart and put together again without the compiler: a load takes a millisecond.
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

// Null where the driver does not take the binary.
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

sycl::kernel_bundle<sycl::bundle_state::executable> compile(const KernelUnit& unit, const sycl::queue& queue) {
  syclexp::include_files headers;
  for (const auto& file : embedded_files())
    if (file.path.ends_with(".hpp")) headers.add(std::string(file.path), std::string(file.text));
  auto unbuilt = syclexp::create_kernel_bundle_from_source(queue.get_context(), syclexp::source_language::sycl,
                                                           unit.text(), syclexp::properties{headers});
  std::string log;
  try {
    return syclexp::build(unbuilt, std::vector{queue.get_device()},
                          syclexp::properties{syclexp::build_options{compiler_options(unit)}, syclexp::save_log{&log}});
  } catch (const sycl::exception& error) {
    throw_device_error("{} does not compile for {}:\n{}", unit.name(),
                       queue.get_device().get_info<sycl::info::device::name>(),
                       with_file_name(log.empty() ? error.what() : log, unit.file()));
  }
}

KernelUnit::KernelUnit(std::string file, std::vector<std::string> definitions)
    : KernelUnit(file, std::string(embedded_text(file)), std::move(definitions), /*listed=*/true) {}

KernelUnit KernelUnit::from_text(std::string file, std::string text) {
  return KernelUnit(std::move(file), std::move(text), {}, /*listed=*/false);
}

KernelUnit::KernelUnit(std::string file, std::string text, std::vector<std::string> definitions, bool listed)
    : file_(std::move(file)), text_(std::move(text)), definitions_(std::move(definitions)), listed_(listed) {
  static int units = 0;
  id_ = units++;
  if (listed_) registry().push_back(this);
}

KernelUnit::~KernelUnit() {
  if (listed_) std::erase(registry(), this);
}

std::string KernelUnit::name() const {
  return definitions_.empty() ? file_ : fmt::format("{} [{}]", file_, fmt::join(definitions_, " "));
}

std::vector<const KernelUnit*> KernelUnit::all() { return registry(); }

// Either a bundle that was compiled in this process, or an OpenCL program that came from the cache.
struct KernelLibrary::BuiltUnit {
  std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> bundle;
  cl_program program = nullptr;
  std::deque<std::pair<std::string, Kernel>> kernels;  // references to its elements stay good as it grows

  BuiltUnit() = default;
  BuiltUnit(const BuiltUnit&) = delete;
  ~BuiltUnit() {
    kernels.clear();
    if (program != nullptr) clReleaseProgram(program);
  }
};

KernelLibrary::KernelLibrary(Device& device, bool use_disk_cache) : device_(device), use_disk_cache_(use_disk_cache) {}
KernelLibrary::~KernelLibrary() = default;

const Kernel& KernelLibrary::get(const KernelUnit& unit, std::string_view name) {
  const auto id = static_cast<std::size_t>(unit.id());
  BuiltUnit& built = id < built_.size() && built_[id] ? *built_[id] : build(unit);
  for (const auto& [known, kernel] : built.kernels)
    if (known == name) return kernel;

  const auto& queue = device_.state().queue;
  return calling_sycl(fmt::format("{} of {}", name, unit.name()), [&]() -> const Kernel& {
    auto kernel = built.program != nullptr ? opencl::kernel_from(built.program, name, queue)
                                           : built.bundle->ext_oneapi_get_kernel(std::string(name));
    const auto largest = kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(queue.get_device());
    return built.kernels.emplace_back(std::string(name), Kernel{std::move(kernel), largest}).second;
  });
}

void KernelLibrary::build_all() {
  for (const KernelUnit* unit : KernelUnit::all()) {
    const auto id = static_cast<std::size_t>(unit->id());
    if (id >= built_.size() || !built_[id]) build(*unit);
  }
}

KernelLibrary::BuiltUnit& KernelLibrary::build(const KernelUnit& unit) {
  const auto start = std::chrono::steady_clock::now();
  const auto& queue = device_.state().queue;
  auto built = std::make_unique<BuiltUnit>();

  const bool cached = use_disk_cache_ && device_.info().backend == "opencl" && !cache_directory().empty();
  const KernelCache cache(cache_directory() / "kernels");
  const std::string key = cached ? cache_key(unit, device_.info()) : "";
  if (cached)
    if (const auto binary = cache.load(key)) built->program = opencl::program_from(*binary, queue);

  const bool loaded = built->program != nullptr;
  if (!loaded) {
    built->bundle = compile(unit, queue);
    if (cached) cache.store(key, opencl::binary_of(*built->bundle));
  }

  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  spdlog::debug("{}: {} in {:.0f} ms", unit.name(), loaded ? "loaded" : "compiled", seconds * 1e3);
  ++(loaded ? statistics_.loaded : statistics_.compiled);
  statistics_.seconds += seconds;

  const auto id = static_cast<std::size_t>(unit.id());
  if (id >= built_.size()) built_.resize(id + 1);
  built_[id] = std::move(built);
  return *built_[id];
}

}  // namespace cambium
