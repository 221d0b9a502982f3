#include "sycl/device.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>

#include "sycl/handles.hpp"
#include "sycl/runtime.hpp"

namespace cambium {
namespace {

// A CPU runs a work-group on one thread: larger ones cost fewer switches.
std::size_t default_work_group_size(const DeviceInfo& device) {
  return std::min<std::size_t>(device.is_cpu() ? 1024 : 256, device.largest_work_group);
}

// Sets the architecture that the runtime compiler generates code for, unless the user has set it.
void name_architecture_for_runtime_compiler(const DeviceInfo& info) {
  const auto target =
      runtime_compiler_target(info.backend, info.handle->device.get_info<sycl::info::device::version>());
  if (!target.empty()) setenv("SYCL_JIT_AMDGCN_PTX_TARGET_CPU", target.c_str(), /*overwrite=*/0);
}

// OpenCL binaries are kept by our own cache. Other backends use DPC++'s cache, in the same folder.
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
  throw_input_error("unknown {} backend {}. {} supports: {}", operation, request, device.name, known);
}

}  // namespace

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
  name_architecture_for_runtime_compiler(info);
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
  state_->native_error.rethrow();
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
  // A group covers as much of a row as fits, in whole vectors, and as many rows as then fit.
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
