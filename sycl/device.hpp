// An open compute device (sycl/device_info.hpp) and its queue.
//
// A Device owns one in-order queue: everything enqueued through it runs in the order of the calls, and only wait() and
// host copies block. Kernels come from the kernel library (sycl/kernel_library.hpp), matrix products and convolutions
// from the backends chosen for the device (sycl/gemm.hpp, sycl/convolution.hpp).
//
// This header does not include SYCL's headers: code above this folder compiles quickly and cannot bypass it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "sycl/device_info.hpp"
#include "sycl/kernel_library.hpp"
#include "sycl/memory.hpp"
#include "sycl/portable_kernels.hpp"

namespace cambium {

class GemmBackend;
class ConvolutionBackend;
class Tuning;

// When training steps are recorded and submitted as one SYCL graph each; see docs/kernels.md.
enum class GraphUse {
  automatic,  // on GPUs that can record, if a timing of the first steps finds it faster; not on CPUs
  on,         // always; an error if the device or a backend cannot
  off
};

struct DeviceOptions {
  std::string device;        // see find_device
  bool kernel_cache = true;  // keep built kernels on disk between runs, and use the device's tuning
  GraphUse graph = GraphUse::automatic;
  std::optional<PortableKernels> kernels;  // default: those for the device's kind
};

// Submissions since the device was opened.
struct SubmissionCounts {
  std::uint64_t launches = 0;    // of kernels, inside graphs or directly
  std::uint64_t graphs = 0;      // steps submitted as one graph
  std::uint64_t recordings = 0;  // graphs made
};

// The size of a three-dimensional launch, slowest dimension first.
using Range3 = std::array<std::size_t, 3>;

// The bytes of the struct that a kernel takes.
struct KernelArguments {
  const void* data;
  std::size_t size;
};

// Must be destroyed before main() returns: the runtime compiler destroys its own data before our static objects.
class Device {
 public:
  explicit Device(const DeviceOptions& options = {});
  Device(const DeviceInfo& info, const DeviceOptions& options);  // a device found before; options.device is not read
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const;
  std::string summary() const;  // one line: name, size, chosen backends

  // Enqueues one work-item per index in [0, items); the kernel sees the range rounded up to whole work-groups. A launch
  // with other arguments than those of the kernel does not compile.
  template <class Arguments>
  void launch(const Kernel<Arguments>& kernel, std::size_t items, const std::type_identity_t<Arguments>& arguments) {
    enqueue(kernel.unit, kernel.name, items, {&arguments, sizeof(arguments)});
  }

  // The same in three dimensions. The last should run along memory: a CPU vectorises it.
  template <class Arguments>
  void launch(const Kernel<Arguments>& kernel, Range3 items, const std::type_identity_t<Arguments>& arguments) {
    enqueue(kernel.unit, kernel.name, items, {&arguments, sizeof(arguments)});
  }

  // Enqueues groups[i] work-groups of group_size[i] items in each dimension.
  template <class Arguments>
  void launch_groups(const Kernel<Arguments>& kernel, Range3 groups, Range3 group_size,
                     const std::type_identity_t<Arguments>& arguments) {
    enqueue(kernel.unit, kernel.name, groups, group_size, {&arguments, sizeof(arguments)});
  }

  // Runs `body`, whose launches are one training step. Where steps are recorded, its launches are submitted as one
  // graph after `body` has returned; a copy or wait() inside it submits them earlier, one by one (docs/kernels.md).
  template <class Body>
  void run_step(Body&& body) {
    begin_step();
    try {
      body();
    } catch (...) {
      abandon_step();
      throw;
    }
    end_step();
  }
  // Sets the use of graphs for later steps; `automatic` times the next steps on any device that can record them.
  void set_graph_use(GraphUse use);  // throws InputError for `on` where the device cannot
  const SubmissionCounts& submissions() const;
  // A backend calls this before it submits work by other means than launch(), which cannot be part of a graph.
  void leave_recording(std::string_view operation, std::string_view backend);

  // Blocks until everything enqueued has run. Throws DeviceError if any of it failed.
  void wait();

  KernelLibrary& kernels();
  GemmBackend& gemm();
  ConvolutionBackend& convolution();
  // Backends by name, empty for the preferred one.
  void use_gemm_backend(const std::string& name);  // throws InputError naming those that work here
  void use_gemm_backend(std::unique_ptr<GemmBackend> backend);
  void use_convolution_backend(const std::string& name);  // likewise

  // The kind of the portable kernels; tests and --kernels can choose those for the other kind of device.
  PortableKernels portable_kernels() const;
  void use_portable_kernels(PortableKernels kernels);

  // Tile choices of the portable kernels.
  Tuning& tuning();

  // Work-items per group of launch(); tests vary it. 0 restores the default.
  void set_work_group_size(std::size_t size);

  struct State;  // the SYCL objects; see sycl/handles.hpp
  State& state() { return *state_; }

 private:
  void begin_step();
  void end_step();
  void abandon_step();
  void enqueue(const KernelUnit& unit, std::string_view kernel, std::size_t items, KernelArguments arguments);
  void enqueue(const KernelUnit& unit, std::string_view kernel, Range3 items, KernelArguments arguments);
  void enqueue(const KernelUnit& unit, std::string_view kernel, Range3 groups, Range3 group_size,
               KernelArguments arguments);

  std::unique_ptr<State> state_;
};

}  // namespace cambium
