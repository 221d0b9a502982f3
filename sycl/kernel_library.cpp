#include "sycl/kernel_library.hpp"

#include <CL/cl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <regex>
#include <sycl/backend/opencl.hpp>
#include <utility>

#include "base/digest.hpp"
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

// Everything that can change the binary: sources, options, compiler, device and driver.
std::string cache_key(const KernelUnit& unit, ArgumentPlace place, const DeviceInfo& device) {
  std::vector<std::string> parts{unit.source()};
  for (const auto& file : embedded_files())
    if (file.path.ends_with(".hpp")) parts.emplace_back(file.text);
  for (const auto& option : compiler_options(unit, place)) parts.push_back(option);
  std::error_code ignored;
  const auto compiler = sycl_library_directory() / "libsycl-jit.so";
  parts.push_back(fmt::format("{}.{}.{} {} {}", __LIBSYCL_MAJOR_VERSION, __LIBSYCL_MINOR_VERSION,
                              __LIBSYCL_PATCH_VERSION, __SYCL_COMPILER_VERSION,
                              std::filesystem::file_size(compiler, ignored)));
  parts.insert(parts.end(), {device.backend, device.vendor, device.name, device.driver});
  return content_hash(parts);
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

std::vector<std::string> compiler_options(const KernelUnit& unit, ArgumentPlace place) {
  // Embedded headers include each other by their path from the root, as they are named here.
  std::vector<std::string> options{"-iquote.", "-Wall", "-Wextra", "-Werror"};
#ifdef CAMBIUM_CHECKED
  options.push_back("-DCAMBIUM_CHECKED");
#endif
  if (place == ArgumentPlace::memory) options.push_back("-DARGUMENTS_IN_MEMORY=1");
  for (const auto& definition : unit.definitions()) options.push_back("-D" + definition);
  return options;
}

sycl::kernel_bundle<sycl::bundle_state::executable> compile(const KernelUnit& unit, const sycl::queue& queue,
                                                            ArgumentPlace place) {
  syclexp::include_files headers;
  for (const auto& file : embedded_files())
    if (file.path.ends_with(".hpp")) headers.add(std::string(file.path), std::string(file.text));
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

// A GPU's compiler should see one function per kernel: what stays a call costs registers, puts the arguments on a stack
// and turns local and global addresses into generic ones. The runtime compiler has no option for it. The line directive
// is for the excerpts in its messages; the places that they name do not follow it.
std::string inlined_source(const std::string& file, const std::string& text) {
  return fmt::format(
      "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)\n"
      "#line 1 \"{}\"\n{}\n#pragma clang attribute pop\n",
      file, text);
}

std::string located_messages(const std::string& messages, const std::string& compiled_name, const std::string& file) {
  constexpr int lines_before = 2;  // in inlined_source()
  const std::regex place(compiled_name + ":([0-9]+)");
  std::string located;
  auto end = messages.begin();
  for (std::sregex_iterator match(messages.begin(), messages.end(), place), none; match != none; ++match) {
    located.append(end, messages.begin() + match->position());
    located += fmt::format("{}:{}", file, std::stol(match->str(1)) - lines_before);
    end = messages.begin() + match->position() + match->length();
  }
  return located.append(end, messages.end());
}

std::string KernelUnit::source() const { return inlined_source(file_, text_); }

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

std::unique_ptr<KernelLibrary::BuiltUnit>& KernelLibrary::built(const KernelUnit& unit, ArgumentPlace place) {
  const auto id = static_cast<std::size_t>(unit.id());
  if (id >= built_.size()) built_.resize(id + 1);
  return built_[id][static_cast<std::size_t>(place)];
}

const Kernel& KernelLibrary::get(const KernelUnit& unit, std::string_view name, ArgumentPlace place) {
  const auto& known_unit = this->built(unit, place);
  BuiltUnit& built = known_unit ? *known_unit : build(unit, place);
  for (const auto& [known, kernel] : built.kernels)
    if (known == name) return kernel;

  const auto& queue = device_.state().queue_handle();
  return calling_sycl(fmt::format("{} of {}", name, unit.name()), [&]() -> const Kernel& {
    auto kernel = built.program != nullptr ? opencl::kernel_from(built.program, name, queue)
                                           : built.bundle->ext_oneapi_get_kernel(std::string(name));
    const auto largest = kernel.get_info<sycl::info::kernel_device_specific::work_group_size>(queue.get_device());
    return built.kernels.emplace_back(std::string(name), Kernel{std::move(kernel), largest}).second;
  });
}

void KernelLibrary::build_all() {
  for (const KernelUnit* unit : KernelUnit::all())
    if (!built(*unit, ArgumentPlace::parameter)) build(*unit, ArgumentPlace::parameter);
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

  auto& entry = this->built(unit, place);
  entry = std::move(built);
  return *entry;
}

}  // namespace cambium
