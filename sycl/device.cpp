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

std::string why_unusable(sycl::device device) {
  namespace syclexp = sycl::ext::oneapi::experimental;
  if (!device.has(sycl::aspect::usm_device_allocations)) return "its driver has no unified shared memory (USM)";
  if (!device.ext_oneapi_can_build(syclexp::source_language::sycl))
    return "this DPC++ runtime cannot compile SYCL kernels for it at run time";
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
  info.unusable = why_unusable(device);
  info.compute_units = device.get_info<get::max_compute_units>();
  info.memory_bytes = device.get_info<get::global_mem_size>();
  info.largest_allocation_bytes = device.get_info<get::max_mem_alloc_size>();
  info.local_memory_bytes = device.get_info<get::local_mem_size>();
  info.largest_work_group = device.get_info<get::max_work_group_size>();
  info.sub_group_sizes = device.get_info<get::sub_group_sizes>();
  info.fp64 = device.has(sycl::aspect::fp64);
  info.native_commands = accepts_native_commands(device);
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

// Whether a request other than an index means this device: [backend:]type[:ordinal].
bool matches(const DeviceInfo& device, const std::string& request) {
  std::vector<std::string> parts;
  std::istringstream stream(request);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  const auto is_type = [](const std::string& part) { return part == "cpu" || part == "gpu" || part == "accelerator"; };
  if (!parts.empty() && is_type(parts[0])) parts.insert(parts.begin(), "*");
  if (parts.size() < 2 || parts.size() > 3) return false;
  return (parts[0] == "*" || parts[0] == device.backend) && parts[1] == device.type &&
         (parts.size() == 2 || parts[2] == std::to_string(device.ordinal));
}

// The AMD code generator of the runtime compiler must be told the architecture; HIP devices report it as their version
// ("gfx90a:sramecc+:xnack-").
void name_architecture_for_runtime_compiler(const sycl::device& device) {
  if (device.get_backend() != sycl::backend::ext_oneapi_hip) return;
  const auto version = device.get_info<sycl::info::device::version>();
  setenv("SYCL_JIT_AMDGCN_PTX_TARGET_CPU", version.substr(0, version.find(':')).c_str(), /*overwrite=*/0);
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

std::string DeviceInfo::selector() const { return fmt::format("{}:{}:{}", backend, type, ordinal); }

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

// The most capable GPU; where one card shows up under several backends, its native one before OpenCL.
const DeviceInfo* default_device(const std::vector<DeviceInfo>& devices) {
  const auto score = [](const DeviceInfo& device) {
    return std::tuple(device.type == "gpu", device.type == "cpu",
                      static_cast<double>(device.compute_units) *
                          device.handle->device.get_info<sycl::info::device::max_clock_frequency>(),
                      device.backend != "opencl");
  };
  const DeviceInfo* best = nullptr;
  for (const auto& device : devices)
    if (device.unusable.empty() && (best == nullptr || score(device) > score(*best))) best = &device;
  return best;
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
  const DeviceInfo* unusable = nullptr;
  for (const auto& device : devices) {
    if (request != std::to_string(device.index) && !matches(device, request)) continue;
    if (device.unusable.empty()) return device;
    if (unusable == nullptr) unusable = &device;
  }
  if (unusable != nullptr)
    throw_input_error("--device {}: {} cannot be used: {}", request, unusable->name, unusable->unusable);
  throw_input_error("--device {}: there is no such device. There are:{}", request, known_devices(devices));
}

Device::State::State(DeviceInfo device_info, bool kernel_cache, Device& owner)
    : info(std::move(device_info)),
      queue(
          info.handle->device,
          [](sycl::exception_list errors) {
            for (const auto& error : errors) std::rethrow_exception(error);
          },
          sycl::property::queue::in_order{}),
      kernels(owner, kernel_cache),
      work_group_size(default_work_group_size(info)) {
#ifdef CAMBIUM_CHECKED
  fault = sycl::malloc_device<Fault>(1, queue);
  queue.memset(fault, 0, sizeof(Fault)).wait();
#endif
}

Device::Device(const DeviceOptions& options) {
  const auto devices = list_devices();
  const DeviceInfo& chosen = choose_device(devices, options.device);
  name_architecture_for_runtime_compiler(chosen.handle->device);
  choose_dpcpp_cache(chosen.handle->device, options.kernel_cache);
  calling_sycl(fmt::format("opening {}", chosen.name),
               [&] { state_ = std::make_unique<State>(chosen, options.kernel_cache, *this); });
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
  sycl::free(state_->fault, state_->queue);
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

void Device::set_work_group_size(std::size_t size) {
  state_->work_group_size = size == 0 ? default_work_group_size(info()) : std::min(size, info().largest_work_group);
}

void Device::wait() {
  calling_sycl("waiting for the device", [&] { state_->queue.wait_and_throw(); });
#ifdef CAMBIUM_CHECKED
  Fault fault;
  state_->queue.memcpy(&fault, state_->fault, sizeof fault).wait();
  expect(fault.raised == 0, "a kernel used index {} of a view of {} elements (last launched: {})", fault.index,
         fault.length, state_->last_kernel);
#endif
}

namespace {

constexpr std::size_t most_items = std::size_t{1} << 31;  // kernels count in 32 bits

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

template <int dimensions>
void submit(Device::State& state, const Kernel& kernel, std::string_view name, sycl::nd_range<dimensions> range,
            std::span<const KernelArgument> arguments) {
  namespace syclexp = sycl::ext::oneapi::experimental;
#ifdef CAMBIUM_CHECKED
  state.last_kernel = name;
#endif
  calling_sycl(name, [&] {
    syclexp::submit(state.queue, [&](sycl::handler& handler) {
      for (std::size_t i = 0; i < arguments.size(); ++i)
        handler.set_arg(static_cast<int>(i), syclexp::raw_kernel_arg(arguments[i].data, arguments[i].size));
      handler.parallel_for(range, kernel.kernel);
    });
  });
}

}  // namespace

void Device::enqueue(const KernelUnit& unit, std::string_view name, std::size_t items,
                     std::span<const KernelArgument> arguments) {
  if (items == 0) return;
  expect(items < most_items, "{}: {} work-items in one launch; split the work", name, items);
  const Kernel& kernel = state_->kernels.get(unit, name);
  const std::size_t group = std::min({state_->work_group_size, kernel.largest_work_group, round_up(items, 16)});
  submit(*state_, kernel, name, sycl::nd_range<1>{{round_up(items, group)}, {group}}, arguments);
}

void Device::enqueue(const KernelUnit& unit, std::string_view name, Range3 items,
                     std::span<const KernelArgument> arguments) {
  if (items[0] == 0 || items[1] == 0 || items[2] == 0) return;
  expect(items[0] < most_items && items[1] < most_items && items[2] < most_items,
         "{}: {} x {} x {} work-items in one launch; split the work", name, items[0], items[1], items[2]);
  const Kernel& kernel = state_->kernels.get(unit, name);
  const std::size_t group = std::min(state_->work_group_size, kernel.largest_work_group);
  // As many whole vectors as the row has, and as many rows as then fit into the group.
  const std::size_t inner = std::min(group, round_up(items[2], 16));
  const std::size_t middle = std::min(items[1], group / inner);
  submit(*state_, kernel, name,
         sycl::nd_range<3>{{items[0], round_up(items[1], middle), round_up(items[2], inner)}, {1, middle, inner}},
         arguments);
}

void Device::enqueue(const KernelUnit& unit, std::string_view name, Range3 groups, Range3 group_size,
                     std::span<const KernelArgument> arguments) {
  if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
  const sycl::range<3> local{group_size[0], group_size[1], group_size[2]};
  const sycl::range<3> global{groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]};
  submit(*state_, state_->kernels.get(unit, name), name, sycl::nd_range<3>{global, local}, arguments);
}

}  // namespace cambium
