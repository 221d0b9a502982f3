#include "sycl/device.hpp"

#include <CL/cl.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <sycl/backend/opencl.hpp>

#include "sycl/handles.hpp"
#include "sycl/runtime.hpp"

namespace cambium {
namespace {

// A CPU runs a work-group on one thread: larger ones cost fewer switches.
std::size_t default_work_group_size(const DeviceInfo& device) {
  return std::min<std::size_t>(device.is_cpu() ? 1024 : 256, device.largest_work_group);
}

std::string backend_name(sycl::backend backend) {
  switch (backend) {
    case sycl::backend::opencl:
      return "opencl";
    case sycl::backend::ext_oneapi_level_zero:
      return "level_zero";
    case sycl::backend::ext_oneapi_cuda:
      return "cuda";
    case sycl::backend::ext_oneapi_hip:
      return "hip";
    default:
      return "other";
  }
}

std::string type_name(const sycl::device& device) {
  if (device.is_cpu()) return "cpu";
  if (device.is_gpu()) return "gpu";
  return "accelerator";
}

std::string platform_of(const sycl::device& device) {
  const auto platform = device.get_platform();
  return fmt::format("{}, {}", platform.get_info<sycl::info::platform::name>(),
                     platform.get_info<sycl::info::platform::version>());
}

std::string why_unusable(sycl::device device) {
  namespace syclexp = sycl::ext::oneapi::experimental;
  if (!device.has(sycl::aspect::usm_device_allocations)) return "its driver has no unified shared memory (USM)";
  if (!device.ext_oneapi_can_build(syclexp::source_language::sycl))
    return "this DPC++ runtime cannot compile SYCL kernels for it at run time";
  return {};
}

std::string graph_support(const sycl::device& device) {
  if (device.has(sycl::aspect::ext_oneapi_graph)) return "full";
  if (device.has(sycl::aspect::ext_oneapi_limited_graph)) return "limited";
  return {};
}

bool accepts_native_commands(const sycl::device& device) {
  if (device.get_backend() != sycl::backend::opencl || !device.is_cpu()) return false;
  cl_device_exec_capabilities capabilities = 0;
  clGetDeviceInfo(sycl::get_native<sycl::backend::opencl>(device), CL_DEVICE_EXECUTION_CAPABILITIES,
                  sizeof capabilities, &capabilities, nullptr);
  return (capabilities & CL_EXEC_NATIVE_KERNEL) != 0;
}

DeviceInfo describe(const sycl::device& device) {
  namespace get = sycl::info::device;
  DeviceInfo info;
  info.handle = std::make_shared<DeviceHandle>(DeviceHandle{device});
  info.backend = backend_name(device.get_backend());
  info.type = type_name(device);
  info.name = device.get_info<get::name>();
  info.vendor = device.get_info<get::vendor>();
  info.driver = device.get_info<get::driver_version>();
  info.platform = platform_of(device);
  info.unusable = why_unusable(device);
  info.compute_units = device.get_info<get::max_compute_units>();
  info.clock_megahertz = device.get_info<get::max_clock_frequency>();
  info.memory_bytes = device.get_info<get::global_mem_size>();
  info.largest_allocation_bytes = device.get_info<get::max_mem_alloc_size>();
  info.local_memory_bytes = device.get_info<get::local_mem_size>();
  info.largest_work_group = device.get_info<get::max_work_group_size>();
  info.sub_group_sizes = device.get_info<get::sub_group_sizes>();
  info.vector_width = device.get_info<get::native_vector_width_float>();
  info.fp64 = device.has(sycl::aspect::fp64);
  info.native_commands = accepts_native_commands(device);
  info.graphs = graph_support(device);
  if (!info.unusable.empty()) return info;
  for (const auto& backend : gemm_backends()) info.gemm.push_back({std::string(backend.name), backend.why_not(info)});
  for (const auto& backend : convolution_backends())
    info.convolution.push_back({std::string(backend.name), backend.why_not(info)});
  return info;
}

std::string known_devices(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const auto& device : devices)
    text += fmt::format("\n  {}  {:<18} {}{}", device.index, device.selector(), device.name,
                        device.unusable.empty() ? "" : "  (not usable: " + device.unusable + ")");
  return text;
}

// Whether the request is the device's index or, as [backend:]type[:ordinal], a selector that fits it.
bool is_selected(const DeviceInfo& device, const std::string& request) {
  if (request == std::to_string(device.index)) return true;
  std::vector<std::string> parts;
  std::istringstream stream(request);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  const auto is_type = [](const std::string& part) { return part == "cpu" || part == "gpu" || part == "accelerator"; };
  if (!parts.empty() && is_type(parts[0])) parts.insert(parts.begin(), "*");
  if (parts.size() < 2 || parts.size() > 3) return false;
  return (parts[0] == "*" || parts[0] == device.backend) && parts[1] == device.type &&
         (parts.size() == 2 || parts[2] == std::to_string(device.ordinal));
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Whether the request is a part of what the device is called. It must have a letter: a number is an index.
bool is_named(const DeviceInfo& device, const std::string& request) {
  if (std::none_of(request.begin(), request.end(), [](unsigned char c) { return std::isalpha(c); })) return false;
  const auto has = [&](const std::string& text) {
    return lower_case(text).find(lower_case(request)) != std::string::npos;
  };
  return has(device.name) || has(device.vendor) || has(device.platform);
}

template <class Fits>
std::vector<DeviceInfo> filter(const std::vector<DeviceInfo>& devices, Fits&& fits) {
  std::vector<DeviceInfo> found;
  std::copy_if(devices.begin(), devices.end(), std::back_inserter(found), std::forward<Fits>(fits));
  return found;
}

// Tells the runtime compiler what to generate code for, unless the user has.
void name_architecture_for_runtime_compiler(const sycl::device& device) {
  const auto target =
      runtime_compiler_target(backend_name(device.get_backend()), device.get_info<sycl::info::device::version>());
  if (!target.empty()) setenv("SYCL_JIT_AMDGCN_PTX_TARGET_CPU", target.c_str(), /*overwrite=*/0);
}

// OpenCL binaries are kept by our own cache. On other backends DPC++'s is used, in the same place.
void choose_dpcpp_cache(const sycl::device& device, bool kernel_cache) {
  if (!kernel_cache) setenv("SYCL_CACHE_PERSISTENT", "0", /*overwrite=*/1);
  if (!kernel_cache || device.get_backend() == sycl::backend::opencl || cache_directory().empty()) return;
  setenv("SYCL_CACHE_PERSISTENT", "1", /*overwrite=*/0);
  setenv("SYCL_CACHE_DIR", (cache_directory() / "dpcpp").c_str(), /*overwrite=*/0);
}

std::string pick_backend(const DeviceInfo& device, const std::vector<BackendStatus>& statuses,
                         const std::string& request, std::string_view operation) {
  std::string known;
  for (const auto& status : statuses) {
    if (request.empty() ? status.why_not.empty() : status.name == request) {
      if (!status.why_not.empty())
        throw_input_error("the {} backend {} does not run on {}: {}", operation, request, device.name, status.why_not);
      return status.name;
    }
    if (status.why_not.empty()) known += (known.empty() ? "" : ", ") + status.name;
  }
  throw_input_error("there is no {} backend called {}; on {} there are: {}", operation, request, device.name, known);
}

}  // namespace

std::string DeviceInfo::selector() const {
  return fmt::format("{}:{}:{}{}", backend, type, ordinal, part < 0 ? "" : fmt::format(".{}", part));
}

std::vector<DeviceInfo> list_devices() {
  prepare_runtime();
  std::vector<DeviceInfo> devices;
  std::map<std::string, int> count;
  try {
    for (const auto& device : sycl::device::get_devices()) {
      DeviceInfo info = describe(device);
      info.index = static_cast<int>(devices.size());
      info.ordinal = count[info.backend + info.type]++;
      devices.push_back(std::move(info));
    }
  } catch (const sycl::exception& error) {
    // DPC++ throws when ONEAPI_DEVICE_SELECTOR is malformed or excludes everything.
    const char* selector = std::getenv("ONEAPI_DEVICE_SELECTOR");
    if (selector == nullptr) throw_device_error("cannot list the SYCL devices: {}", error.what());
    throw_input_error("ONEAPI_DEVICE_SELECTOR={}: {}\nUnset it to see every device: cambium devices", selector,
                      error.what());
  }
  return devices;
}

namespace {

// The first backend that works; null when none does.
const BackendStatus* chosen_backend(const std::vector<BackendStatus>& backends) {
  const auto found =
      std::find_if(backends.begin(), backends.end(), [](const auto& backend) { return backend.why_not.empty(); });
  return found == backends.end() ? nullptr : &*found;
}

// How many backends of an operation are faster than the one that the device gets.
std::ptrdiff_t missed_backends(const std::vector<BackendStatus>& backends) {
  const auto* chosen = chosen_backend(backends);
  return chosen == nullptr ? std::ssize(backends) : chosen - backends.data();
}

// What a device is preferred for, the weightiest first. OpenCL CPUs are runtimes of the same processor: they differ by
// the backends that work on them, and not by the clock frequency, of which each has its own idea. A card that shows up
// under several SYCL backends is the same hardware, too: there OpenCL comes last.
struct Rank {
  int type;
  std::ptrdiff_t missed_backends;
  double speed;
  bool native_driver;
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const DeviceInfo& device) {
  return {.type = device.type == "gpu"   ? 2
                  : device.type == "cpu" ? 1
                                         : 0,
          .missed_backends = device.is_cpu() ? -missed_backends(device.gemm) - missed_backends(device.convolution) : 0,
          .speed = static_cast<double>(device.compute_units) * device.clock_megahertz,
          .native_driver = device.backend != "opencl"};
}

// The best usable device, and the best one after it; null where there is none.
std::pair<const DeviceInfo*, const DeviceInfo*> best_two(const std::vector<DeviceInfo>& devices) {
  const DeviceInfo *first = nullptr, *second = nullptr;
  for (const auto& device : devices) {
    if (!device.unusable.empty()) continue;
    if (first == nullptr || rank_of(device) > rank_of(*first))
      second = std::exchange(first, &device);
    else if (second == nullptr || rank_of(device) > rank_of(*second))
      second = &device;
  }
  return {first, second};
}

// The backends of the better device that the other one lacks, such as "convolution onednn".
std::string backends_ahead(const DeviceInfo& better, const DeviceInfo& other) {
  std::string text;
  for (const auto& [operation, backends] :
       {std::pair("GEMM", &DeviceInfo::gemm), {"convolution", &DeviceInfo::convolution}})
    if (missed_backends(better.*backends) < missed_backends(other.*backends))
      text += fmt::format("{}{} {}", text.empty() ? "" : " and ", operation, chosen_backend(better.*backends)->name);
  return text;
}

std::string tag(const DeviceInfo& device) { return fmt::format("{} [{}]", device.name, device.selector()); }

}  // namespace

const DeviceInfo* default_device(const std::vector<DeviceInfo>& devices) { return best_two(devices).first; }

std::string why_default(const std::vector<DeviceInfo>& devices) {
  const auto [best, next] = best_two(devices);
  if (best == nullptr) return {};
  if (next == nullptr) return "it is the only usable device";
  const Rank first = rank_of(*best), second = rank_of(*next);
  if (first.type != second.type) return fmt::format("it is the only usable {}", best->type);
  if (first.missed_backends != second.missed_backends)
    return fmt::format("{} works on it, and not on {}", backends_ahead(*best, *next), tag(*next));
  if (first.speed != second.speed)
    return fmt::format("{} compute units at {} MHz are more than the {} at {} MHz of {}", best->compute_units,
                       best->clock_megahertz, next->compute_units, next->clock_megahertz, tag(*next));
  if (first.native_driver != second.native_driver)
    return fmt::format("its driver is native, where {} uses OpenCL", tag(*next));
  return fmt::format("it comes before {}, which is equally good", tag(*next));
}

const DeviceInfo& choose_device(const std::vector<DeviceInfo>& devices, const std::string& request) {
  if (request.empty()) {
    if (const auto* best = default_device(devices)) return *best;
    const char* selector = std::getenv("ONEAPI_DEVICE_SELECTOR");
    if (selector != nullptr)
      throw_input_error("ONEAPI_DEVICE_SELECTOR={} leaves no usable device.{}", selector, known_devices(devices));
    throw_device_error(
        "no usable SYCL device. The CPU needs libintelocl.so beside libsycl.so, a GPU its vendor's driver; see "
        "docs/portability.md.{}",
        known_devices(devices));
  }
  const auto usable = [](const DeviceInfo& device) { return device.unusable.empty(); };
  const auto in_list = [&](const DeviceInfo& copy) -> const DeviceInfo& {
    return *std::find_if(devices.begin(), devices.end(),
                         [&](const auto& device) { return device.index == copy.index; });
  };
  auto found = filter(devices, [&](const auto& device) { return is_selected(device, request); });
  if (const auto* best = default_device(found)) return in_list(*best);
  if (found.empty()) {
    found = filter(devices, [&](const auto& device) { return is_named(device, request); });
    if (const auto can = filter(found, usable); can.size() == 1)
      return in_list(can.front());
    else if (can.size() > 1)
      throw_input_error("--device {}: this fits several devices; write the number of one:{}", request,
                        known_devices(can));
  }
  if (!found.empty())
    throw_input_error("--device {}: {} cannot be used: {}", request, found.front().name, found.front().unusable);
  throw_input_error("--device {}: there is no such device. There are:{}", request, known_devices(devices));
}

namespace {

std::vector<sycl::device> parts_of(const sycl::device& device) {
  using Property = sycl::info::partition_property;
  const auto known = device.get_info<sycl::info::device::partition_properties>();
  const auto can = [&](Property property) { return std::find(known.begin(), known.end(), property) != known.end(); };
  if (can(Property::partition_by_affinity_domain)) {
    try {
      auto parts = device.create_sub_devices<Property::partition_by_affinity_domain>(
          sycl::info::partition_affinity_domain::next_partitionable);
      if (parts.size() > 1) return parts;
    } catch (const sycl::exception&) {  // Drivers also refuse where only one part would come out.
    }
  }
  const auto units = device.get_info<sycl::info::device::max_compute_units>();
  if (!can(Property::partition_equally) || units < 2) return {};
  return device.create_sub_devices<Property::partition_equally>(units / 2);
}

DeviceInfo part_of(const DeviceInfo& whole, int part, const std::string& request) {
  std::vector<sycl::device> parts;
  calling_sycl(fmt::format("dividing {}", whole.name), [&] { parts = parts_of(whole.handle->device); });
  if (parts.empty()) throw_input_error("--device {}: {} cannot be divided", request, whole.name);
  if (part >= static_cast<int>(parts.size()))
    throw_input_error("--device {}: {} has {} parts, {}.0 to {}.{}", request, whole.name, parts.size(), whole.index,
                      whole.index, parts.size() - 1);
  DeviceInfo info = describe(parts[static_cast<std::size_t>(part)]);
  info.index = whole.index;
  info.ordinal = whole.ordinal;
  info.part = part;
  return info;
}

DeviceInfo find_among(const std::vector<DeviceInfo>& devices, const std::string& request) {
  const std::size_t dot = request.rfind('.');
  const bool has_part = dot != std::string::npos && dot > 0 && dot + 1 < request.size() && request.size() - dot < 6 &&
                        std::all_of(request.begin() + static_cast<std::ptrdiff_t>(dot) + 1, request.end(),
                                    [](unsigned char c) { return std::isdigit(c); });
  if (!has_part) return choose_device(devices, request);
  return part_of(choose_device(devices, request.substr(0, dot)), std::stoi(request.substr(dot + 1)), request);
}

}  // namespace

DeviceInfo find_device(const std::string& request) {
  if (request.find(',') != std::string::npos)
    throw_input_error("--device {}: one device is wanted here; `cambium train` and `cambium sweep` take several",
                      request);
  return find_among(list_devices(), request);
}

std::vector<DeviceInfo> find_devices(const std::string& requests) {
  const auto devices = list_devices();
  if (requests.empty()) return {choose_device(devices, "")};
  std::vector<DeviceInfo> found;
  for (std::size_t begin = 0; begin <= requests.size();) {
    const std::size_t end = std::min(requests.find(',', begin), requests.size());
    const auto request = requests.substr(begin, end - begin);
    if (request.empty())
      throw_input_error("--device {}: a name is missing; write devices as `cambium devices` shows them: 0,1", requests);
    auto next = find_among(devices, request);
    for (const auto& other : found)
      if (other.index == next.index && (other.part == next.part || other.part < 0 || next.part < 0))
        throw_input_error("--device {}: {} and {} are the same hardware; name every device once", requests,
                          other.selector(), next.selector());
    found.push_back(std::move(next));
    begin = end + 1;
  }
  return found;
}

Device::State::State(DeviceInfo device_info, const DeviceOptions& options, Device& owner)
    : info(std::move(device_info)),
      queue_(
          info.handle->device,
          [](sycl::exception_list errors) {
            for (const auto& error : errors) std::rethrow_exception(error);
          },
          sycl::property::queue::in_order{}),
      kernels(owner, options.kernel_cache),
      tuning(options.kernel_cache ? Tuning::load(info) : Tuning()),
      portable_kernels(options.kernels.value_or(info.is_cpu() ? PortableKernels::cpu : PortableKernels::gpu)),
      work_group_size(default_work_group_size(info)),
      steps(queue_, info, info.is_cpu() && options.graph == GraphUse::automatic ? GraphUse::off : options.graph) {
#ifdef CAMBIUM_CHECKED
  fault = sycl::malloc_device<Fault>(1, queue_);
  queue_.memset(fault, 0, sizeof(Fault)).wait();
#endif
}

Device::Device(const DeviceOptions& options) : Device(find_device(options.device), options) {}

Device::Device(const DeviceInfo& info, const DeviceOptions& options) {
  name_architecture_for_runtime_compiler(info.handle->device);
  choose_dpcpp_cache(info.handle->device, options.kernel_cache);
  calling_sycl(fmt::format("opening {}", info.name), [&] { state_ = std::make_unique<State>(info, options, *this); });
  use_gemm_backend("");
  use_convolution_backend("");
  spdlog::info("{}", summary());
}

Device::~Device() {
  if (!state_) return;
  // Backends own device memory, whose release needs the queue.
  state_->gemm = {};
  state_->convolution = {};
#ifdef CAMBIUM_CHECKED
  sycl::free(state_->fault, state_->queue_);
#endif
}

const DeviceInfo& Device::info() const { return state_->info; }

std::string Device::summary() const {
  return fmt::format("{} [{}], {} compute units, {:.1f} GiB; GEMM {}, convolution {}", info().name, info().selector(),
                     info().compute_units, static_cast<double>(info().memory_bytes) / (1 << 30),
                     state_->gemm.in_use().name(), state_->convolution.in_use().name());
}

KernelLibrary& Device::kernels() { return state_->kernels; }
GemmBackend& Device::gemm() { return state_->gemm.in_use(); }
ConvolutionBackend& Device::convolution() { return state_->convolution.in_use(); }

void Device::use_gemm_backend(const std::string& name) {
  const auto chosen = pick_backend(info(), info().gemm, name, "GEMM");
  for (const auto& backend : gemm_backends())
    if (backend.name == chosen) state_->gemm.use(chosen, [&] { return backend.make(*this); });
}

void Device::use_gemm_backend(std::unique_ptr<GemmBackend> backend) { state_->gemm.use(std::move(backend)); }

void Device::use_convolution_backend(const std::string& name) {
  const auto chosen = pick_backend(info(), info().convolution, name, "convolution");
  for (const auto& backend : convolution_backends())
    if (backend.name == chosen) state_->convolution.use(chosen, [&] { return backend.make(*this); });
}

Tuning& Device::tuning() { return state_->tuning; }
PortableKernels Device::portable_kernels() const { return state_->portable_kernels; }
void Device::use_portable_kernels(PortableKernels kernels) { state_->portable_kernels = kernels; }

void Device::set_work_group_size(std::size_t size) {
  state_->work_group_size = size == 0 ? default_work_group_size(info()) : std::min(size, info().largest_work_group);
}

void Device::begin_step() { state_->steps.begin(); }
void Device::end_step() { state_->steps.end(); }
void Device::abandon_step() { state_->steps.abandon(); }
void Device::set_graph_use(GraphUse use) { state_->steps.set_use(use); }
const SubmissionCounts& Device::submissions() const { return state_->steps.counts(); }
void Device::leave_recording(std::string_view operation, std::string_view backend) {
  state_->steps.release_for_backend(operation, backend);
}

void Device::wait() {
  calling_sycl("waiting for the device", [&] { state_->queue().wait_and_throw(); });
#ifdef CAMBIUM_CHECKED
  Fault fault;
  state_->queue().memcpy(&fault, state_->fault, sizeof fault).wait();
  expect(fault.raised == 0, "a kernel used index {} of a view of {} elements (last launched: {})", fault.index,
         fault.length, state_->last_kernel);
#endif
}

namespace {

constexpr std::size_t most_items = std::size_t{1} << 31;  // kernels count in 32 bits

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

const BuiltKernel& kernel_for(Device::State& state, const KernelUnit& unit, std::string_view name) {
  return state.kernels.get(unit, name, state.steps.collecting() ? ArgumentPlace::memory : ArgumentPlace::parameter);
}

template <int dimensions>
void submit(Device::State& state, const BuiltKernel& kernel, std::string_view name, sycl::nd_range<dimensions> range,
            KernelArguments arguments) {
  namespace syclexp = sycl::ext::oneapi::experimental;
#ifdef CAMBIUM_CHECKED
  state.last_kernel = name;
#endif
  state.steps.count_launch();
  if (state.steps.collecting()) return state.steps.add(kernel, range, arguments);
  calling_sycl(name, [&] {
    syclexp::submit(state.queue(), [&](sycl::handler& handler) {
      handler.set_arg(0, syclexp::raw_kernel_arg(arguments.data, arguments.size));
      handler.parallel_for(range, kernel.kernel);
    });
  });
}

}  // namespace

void Device::enqueue(const KernelUnit& unit, std::string_view name, std::size_t items, KernelArguments arguments) {
  if (items == 0) return;
  expect(items < most_items, "{}: {} work-items in one launch; split the work", name, items);
  const BuiltKernel& kernel = kernel_for(*state_, unit, name);
  const std::size_t group = std::min({state_->work_group_size, kernel.largest_work_group, round_up(items, 16)});
  submit(*state_, kernel, name, sycl::nd_range<1>{{round_up(items, group)}, {group}}, arguments);
}

void Device::enqueue(const KernelUnit& unit, std::string_view name, Range3 items, KernelArguments arguments) {
  if (items[0] == 0 || items[1] == 0 || items[2] == 0) return;
  expect(items[0] < most_items && items[1] < most_items && items[2] < most_items,
         "{}: {} x {} x {} work-items in one launch; split the work", name, items[0], items[1], items[2]);
  const BuiltKernel& kernel = kernel_for(*state_, unit, name);
  const std::size_t group = std::min(state_->work_group_size, kernel.largest_work_group);
  // As many whole vectors as the row has, and as many rows as then fit into the group.
  const std::size_t inner = std::min(group, round_up(items[2], 16));
  const std::size_t middle = std::min(items[1], group / inner);
  submit(*state_, kernel, name,
         sycl::nd_range<3>{{items[0], round_up(items[1], middle), round_up(items[2], inner)}, {1, middle, inner}},
         arguments);
}

void Device::enqueue(const KernelUnit& unit, std::string_view name, Range3 groups, Range3 group_size,
                     KernelArguments arguments) {
  if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
  const sycl::range<3> local{group_size[0], group_size[1], group_size[2]};
  const sycl::range<3> global{groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]};
  submit(*state_, kernel_for(*state_, unit, name), name, sycl::nd_range<3>{global, local}, arguments);
}

}  // namespace cambium
