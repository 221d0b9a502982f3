#include "sycl/step_recorder.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "sycl/handles.hpp"

namespace cambium {
namespace {

namespace syclexp = sycl::ext::oneapi::experimental;

// Recordings that are kept: for whole and last batches, with and without speeds, before and after an edit.
constexpr std::size_t most_recordings = 8;
// Steps that the host may be ahead of the device. Each needs its own host memory for its arguments.
constexpr std::size_t steps_ahead = 16;
constexpr std::size_t argument_alignment = 64;

std::size_t aligned(std::size_t offset) {
  return (offset + argument_alignment - 1) / argument_alignment * argument_alignment;
}

}  // namespace

// One graph and the memory of its arguments.
struct StepRecorder::Recording {
  // A copy of the arguments on the host, which must not change until `copied` has happened.
  struct HostBlock {
    std::byte* data = nullptr;
    sycl::event copied;
  };

  Recording(sycl::queue on, std::vector<Launch> of, std::size_t bytes) : queue(std::move(on)), launches(std::move(of)) {
    block = sycl::malloc_device<std::byte>(bytes, queue);
    for (auto& host : hosts) host.data = sycl::malloc_host<std::byte>(bytes, queue);
    const bool any_missing = block == nullptr || std::any_of(hosts.begin(), hosts.end(),
                                                             [](const auto& host) { return host.data == nullptr; });
    if (!any_missing) return;
    free();
    throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation),
                          fmt::format("no room for {} bytes of kernel arguments", bytes));
  }
  ~Recording() {
    try {
      queue.wait();
      free();
    } catch (const sycl::exception&) {
      // The device is gone, and its memory with it.
    }
  }
  Recording(const Recording&) = delete;

  void free() {
    for (auto& host : hosts)
      if (host.data != nullptr) sycl::free(host.data, queue);
    if (block != nullptr) sycl::free(block, queue);
  }

  void run(const std::vector<std::byte>& arguments) {
    HostBlock& host = hosts[next++ % steps_ahead];
    host.copied.wait();
    std::memcpy(host.data, arguments.data(), arguments.size());
    host.copied = queue.memcpy(block, host.data, arguments.size());
    syclexp::execute_graph(queue, *graph);
  }

  sycl::queue queue;
  std::vector<Launch> launches;
  std::byte* block = nullptr;
  std::array<HostBlock, steps_ahead> hosts;
  std::size_t next = 0;
  std::optional<syclexp::command_graph<syclexp::graph_state::executable>> graph;
};

StepRecorder::StepRecorder(sycl::queue queue, const DeviceInfo& device, GraphUse use)
    : queue_(std::move(queue)), device_name_(device.name), can_record_(!device.graphs.empty()) {
  set_use(use);
}

StepRecorder::~StepRecorder() {
  if (direct_block_ == nullptr) return;
  try {
    queue_.wait();
    sycl::free(direct_block_, queue_);
  } catch (const sycl::exception&) {
    // The device is gone, and its memory with it.
  }
}

void StepRecorder::set_use(GraphUse use) {
  expect(!in_step_, "the use of graphs changes in the middle of a step");
  if (use == GraphUse::on && !can_record_)
    throw_input_error(
        "--graph on: {} cannot record SYCL graphs (it has neither ext_oneapi_graph nor ext_oneapi_limited_graph); use "
        "--graph auto or another device (`cambium devices` says which can)",
        device_name_);
  required_ = use_graph_ = use == GraphUse::on;
  trial_.reset();
  if (use == GraphUse::automatic && can_record_) trial_.emplace([this] { return now(); });
}

// The time when everything submitted so far has run.
double StepRecorder::now() {
  queue_.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <int dimensions>
void StepRecorder::add(const BuiltKernel& kernel, const sycl::nd_range<dimensions>& range, KernelArguments arguments) {
  Launch launch{&kernel, dimensions, {}, {}, aligned(arguments_.size()), arguments.size};
  for (int i = 0; i < dimensions; ++i) {
    launch.global[static_cast<std::size_t>(i)] = range.get_global_range()[i];
    launch.local[static_cast<std::size_t>(i)] = range.get_local_range()[i];
  }
  arguments_.resize(launch.offset + launch.size);
  std::memcpy(arguments_.data() + launch.offset, arguments.data, arguments.size);
  launches_.push_back(launch);
}
template void StepRecorder::add(const BuiltKernel&, const sycl::nd_range<1>&, KernelArguments);
template void StepRecorder::add(const BuiltKernel&, const sycl::nd_range<3>&, KernelArguments);

void StepRecorder::begin() {
  expect(!in_step_, "a step begins inside another");
  if (trial_) calling_sycl("timing steps", [&] { trial_->step_begins(); });
  in_step_ = true;
  collecting_ = recorded_ = trial_ ? trial_->use_graph() : use_graph_;
}

void StepRecorder::end() {
  bool as_expected = true;
  if (collecting_ && !launches_.empty()) {
    Recording* recording = find_or_record(as_expected);
    if (recording != nullptr) {
      calling_sycl("submitting a step as a graph", [&] { recording->run(arguments_); });
      ++counts_.graphs;
    } else {
      submit_one_by_one();
    }
  }
  const bool graph_meant = trial_ && trial_->use_graph();
  if (graph_meant && !recorded_) as_expected = false;
  abandon();
  if (!trial_) return;
  // A step that was recorded now, or not at all, took another time than later steps will take.
  if (as_expected)
    calling_sycl("timing steps", [&] { trial_->step_ends(); });
  else
    trial_->restart();
  if (trial_->decided()) {
    report_choice();
    use_graph_ = trial_->use_graph();
    trial_.reset();
    if (!use_graph_) recordings_.clear();
  }
}

void StepRecorder::abandon() {
  in_step_ = collecting_ = recorded_ = false;
  launches_.clear();
  arguments_.clear();
}

void StepRecorder::release() {
  if (!in_step_ && trial_) trial_->pause();
  if (!collecting_) return;
  collecting_ = recorded_ = false;
  submit_one_by_one();
}

void StepRecorder::release_for_backend(std::string_view operation, std::string_view backend) {
  if (!in_step_) return;
  if (required_)
    throw_input_error("--graph on: the {} backend {} cannot be recorded; use --graph auto, or --{}-backend portable",
                      operation, backend, operation == "GEMM" ? "gemm" : operation);
  if (trial_ && !trial_->decided()) {
    spdlog::debug("steps are submitted launch by launch: the {} backend {} cannot be recorded", operation, backend);
    trial_->reject_graph();
  }
  release();
}

StepRecorder::Recording* StepRecorder::find_or_record(bool& known) {
  const auto found = std::find_if(recordings_.begin(), recordings_.end(),
                                  [&](const Recording& recording) { return recording.launches == launches_; });
  known = found != recordings_.end();
  if (known) {
    recordings_.splice(recordings_.begin(), recordings_, found);
    return &recordings_.front();
  }
  try {
    if (recordings_.size() == most_recordings) recordings_.pop_back();
    Recording& recording = recordings_.emplace_front(queue_, launches_, arguments_.size());
    syclexp::command_graph graph(queue_.get_context(), queue_.get_device());
    std::optional<syclexp::node> last;
    for (const Launch& launch : launches_) {
      const auto add = [&](sycl::handler& handler) { submit(handler, launch, recording.block); };
      last = last ? graph.add(add, {syclexp::property::node::depends_on(*last)}) : graph.add(add);
    }
    recording.graph = graph.finalize();
    ++counts_.recordings;
    spdlog::debug("recorded a step of {} launches", launches_.size());
    return &recording;
  } catch (const sycl::exception& error) {
    if (!recordings_.empty() && !recordings_.front().graph) recordings_.pop_front();
    if (required_)
      throw_device_error("--graph on: {} could not record a step: {}\nUse --graph off, or a newer driver.",
                         device_name_, error.what());
    spdlog::warn("{} could not record a step, so steps are submitted launch by launch: {}", device_name_, error.what());
    if (trial_) trial_->reject_graph();
    use_graph_ = false;
    return nullptr;
  }
}

void StepRecorder::submit(sycl::handler& handler, const Launch& launch, std::byte* block) const {
  const auto& [global, local] = std::tie(launch.global, launch.local);
  handler.set_arg(0, static_cast<void*>(block + launch.offset));
  if (launch.dimensions == 1)
    handler.parallel_for(sycl::nd_range<1>{{global[0]}, {local[0]}}, launch.kernel->kernel);
  else
    handler.parallel_for(sycl::nd_range<3>{{global[0], global[1], global[2]}, {local[0], local[1], local[2]}},
                         launch.kernel->kernel);
}

// Submits the collected launches in order; none remain collected.
void StepRecorder::submit_one_by_one() {
  if (launches_.empty()) return;
  calling_sycl("submitting a step", [&] {
    if (direct_block_bytes_ < arguments_.size()) {
      queue_.wait();
      if (direct_block_ != nullptr) sycl::free(direct_block_, queue_);
      direct_block_bytes_ = arguments_.size();
      direct_block_ = sycl::malloc_device<std::byte>(direct_block_bytes_, queue_);
    }
    queue_.memcpy(direct_block_, arguments_.data(), arguments_.size()).wait();
    for (const Launch& launch : launches_)
      syclexp::submit(queue_, [&](sycl::handler& handler) { submit(handler, launch, direct_block_); });
  });
  launches_.clear();
  arguments_.clear();
}

void StepRecorder::report_choice() const {
  if (trial_->graph_seconds() == std::numeric_limits<double>::infinity())
    return spdlog::debug("steps are submitted launch by launch: graphs could not be timed");
  spdlog::debug("steps are submitted {}: {:.1f} us per step as one graph, {:.1f} us launch by launch",
                trial_->use_graph() ? "as one graph each" : "launch by launch", trial_->graph_seconds() * 1e6,
                trial_->direct_seconds() * 1e6);
}

}  // namespace cambium
