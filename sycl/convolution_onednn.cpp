// The onednn convolution backend: oneDNN primitives on the device's queue, one execution per replica.
//
// Images stay channels-last, which oneDNN's fast kernels accept. Weights are passed in the order that the chosen
// implementation prefers, through a reorder if it differs from ours. On a CPU oneDNN submits SYCL host_tasks; these do
// not see native commands and must not be chained (see gemm_native.cpp), so there every call waits on both sides, 0.1
// ms in all. oneDNN cuts its work by the number of threads that it sees when a primitive is made: ours are made inside
// an arena as wide as the machine, so that a run confined to fewer cores gives the same bits.

#include <spdlog/spdlog.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_sycl.hpp>
#include <optional>

#include "sycl/handles.hpp"

namespace cambium {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

memory::desc describe(const memory::dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

// One pass of the convolution for one shape: the primitive, and a buffer for the weights in the order that it requires.
template <class Primitive>
struct Pass {
  typename Primitive::primitive_desc description;
  Primitive primitive;
  memory::desc weights;
  std::optional<Buffer<float>> reordered_weights;  // absent if it accepts our order
  dnnl::reorder reorder;

  Pass(Device& device, const dnnl::engine& engine, typename Primitive::primitive_desc pass_description,
       const memory::desc& pass_weights, const memory::desc& our_weights, bool weights_are_written)
      : description(std::move(pass_description)), primitive(description), weights(pass_weights) {
    if (weights == our_weights) return;
    reordered_weights.emplace(device, (weights.get_size() + sizeof(float) - 1) / sizeof(float));
    reorder = weights_are_written ? dnnl::reorder({engine, weights, engine, our_weights})
                                  : dnnl::reorder({engine, our_weights, engine, weights});
  }
};

// The primitives and memory layouts for one shape, of one replica.
struct Convolution {
  ConvolutionShape shape;
  memory::desc input, our_weights, bias, output;
  Pass<dnnl::convolution_forward> forward, forward_with_bias;
  Pass<dnnl::convolution_backward_data> backward_data;
  Pass<dnnl::convolution_backward_weights> backward_weights;

  Convolution(Device& device, const dnnl::engine& engine, const ConvolutionShape& s)
      : shape(s),
        input(describe({s.batch, s.input_channels, s.height, s.width}, Tag::nhwc)),
        our_weights(describe(weight_dims(), Tag::hwio)),
        bias(describe({s.output_channels}, Tag::a)),
        output(describe({s.batch, s.output_channels, s.output_height(), s.output_width()}, Tag::nhwc)),
        forward(make_forward(device, engine, false)),
        forward_with_bias(make_forward(device, engine, true)),
        backward_data(make_backward_data(device, engine)),
        backward_weights(make_backward_weights(device, engine)) {}

  memory::dims weight_dims() const {
    return {shape.output_channels, shape.input_channels, shape.kernel_height, shape.kernel_width};
  }
  memory::desc any_weights() const { return describe(weight_dims(), Tag::any); }
  memory::dims strides() const { return {shape.stride, shape.stride}; }
  memory::dims padding() const { return {shape.padding, shape.padding}; }
  // Padding at the bottom and at the right, so that the last window fits exactly.
  memory::dims far_padding() const {
    return {(shape.output_height() - 1) * shape.stride + shape.kernel_height - shape.height - shape.padding,
            (shape.output_width() - 1) * shape.stride + shape.kernel_width - shape.width - shape.padding};
  }
  static dnnl::primitive_attr attributes() {
    dnnl::primitive_attr attributes;
    attributes.set_deterministic(true);
    return attributes;
  }
  dnnl::convolution_forward::primitive_desc describe_forward(const dnnl::engine& engine, bool with_bias,
                                                             const memory::desc& weights) const {
    return {engine,
            dnnl::prop_kind::forward_training,
            dnnl::algorithm::convolution_direct,
            input,
            weights,
            with_bias ? bias : memory::desc(),
            output,
            strides(),
            padding(),
            far_padding(),
            attributes()};
  }
  Pass<dnnl::convolution_forward> make_forward(Device& device, const dnnl::engine& engine, bool with_bias) const {
    // Most forward kernels take our order of the weights, which saves the reorder; the slow ones show in their names.
    auto description = describe_forward(engine, with_bias, our_weights);
    const std::string name = description.impl_info_str();
    if (name.find("ref") != std::string::npos || name.find("gemm") != std::string::npos)
      description = describe_forward(engine, with_bias, any_weights());
    return {device, engine, description, description.weights_desc(), our_weights, false};
  }
  Pass<dnnl::convolution_backward_data> make_backward_data(Device& device, const dnnl::engine& engine) const {
    const dnnl::convolution_backward_data::primitive_desc description(
        engine, dnnl::algorithm::convolution_direct, input, any_weights(), output, strides(), padding(), far_padding(),
        describe_forward(engine, false, any_weights()), attributes());
    return {device, engine, description, description.weights_desc(), our_weights, false};
  }
  Pass<dnnl::convolution_backward_weights> make_backward_weights(Device& device, const dnnl::engine& engine) const {
    const dnnl::convolution_backward_weights::primitive_desc description(
        engine, dnnl::algorithm::convolution_direct, input, any_weights(), bias, output, strides(), padding(),
        far_padding(), describe_forward(engine, true, any_weights()), attributes());
    return {device, engine, description, description.diff_weights_desc(), our_weights, true};
  }
};

class OnednnBackend final : public ConvolutionBackend {
 public:
  explicit OnednnBackend(Device& device)
      : device_(device),
        engine_(dnnl::sycl_interop::make_engine(device.state().queue_handle().get_device(),
                                                device.state().queue_handle().get_context())),
        stream_(dnnl::sycl_interop::make_stream(engine_, device.state().queue())) {}

  std::string_view name() const override { return onednn_convolution.name; }

  void forward(const ConvolutionShape& shape, View<const float> input, View<const float> weights,
               View<const float> bias, View<float> output) override {
    Convolution& plan = plan_for(shape);
    auto& pass = bias.empty() ? plan.forward : plan.forward_with_bias;
    for_each_replica(shape, [&](int replica) {
      std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, part(plan.input, input, shape, replica)},
                                                {DNNL_ARG_WEIGHTS, weights_for(plan, pass, weights, shape, replica)},
                                                {DNNL_ARG_DST, part(plan.output, output, shape, replica)}};
      if (!bias.empty()) arguments.emplace(DNNL_ARG_BIAS, part(plan.bias, bias, shape, replica));
      execute(pass.primitive, arguments);
    });
  }

  void backward_data(const ConvolutionShape& shape, View<const float> output_gradient, View<const float> weights,
                     View<float> input_gradient) override {
    Convolution& plan = plan_for(shape);
    auto& pass = plan.backward_data;
    for_each_replica(shape, [&](int replica) {
      execute(pass.primitive, {{DNNL_ARG_DIFF_DST, part(plan.output, output_gradient, shape, replica)},
                               {DNNL_ARG_WEIGHTS, weights_for(plan, pass, weights, shape, replica)},
                               {DNNL_ARG_DIFF_SRC, part(plan.input, input_gradient, shape, replica)}});
    });
  }

  void backward_weights(const ConvolutionShape& shape, View<const float> input, View<const float> output_gradient,
                        View<float> weights_gradient, View<float> bias_gradient) override {
    Convolution& plan = plan_for(shape);
    auto& pass = plan.backward_weights;
    for_each_replica(shape, [&](int replica) {
      const memory ours = part(plan.our_weights, weights_gradient, shape, replica);
      const memory target =
          pass.reordered_weights ? wrap(pass.weights, RawAccess::address(pass.reordered_weights->view())) : ours;
      execute(pass.primitive, {{DNNL_ARG_SRC, part(plan.input, input, shape, replica)},
                               {DNNL_ARG_DIFF_DST, part(plan.output, output_gradient, shape, replica)},
                               {DNNL_ARG_DIFF_WEIGHTS, target},
                               {DNNL_ARG_DIFF_BIAS, part(plan.bias, bias_gradient, shape, replica)}});
      if (pass.reordered_weights) execute(pass.reorder, {{DNNL_ARG_FROM, target}, {DNNL_ARG_TO, ours}});
    });
  }

  std::string implementation(const ConvolutionShape& shape) override {
    const Convolution& plan = plan_for(shape);
    return fmt::format(
        "forward {}, backward data {}, backward weights {}", plan.forward_with_bias.description.impl_info_str(),
        plan.backward_data.description.impl_info_str(), plan.backward_weights.description.impl_info_str());
  }

 private:
  memory wrap(const memory::desc& description, const float* address) const {
    return dnnl::sycl_interop::make_memory(description, engine_, dnnl::sycl_interop::memory_kind::usm,
                                           const_cast<float*>(address));
  }

  // The replica's share of a view that holds all of them.
  template <class T>
  memory part(const memory::desc& description, View<T> all, const ConvolutionShape& shape, int replica) const {
    const std::size_t each = all.size() / static_cast<std::size_t>(shape.replicas);
    return wrap(description, RawAccess::address(all.slice(static_cast<std::size_t>(replica) * each, each)));
  }

  template <class P>
  memory weights_for(const Convolution& plan, Pass<P>& pass, View<const float> weights, const ConvolutionShape& shape,
                     int replica) {
    const memory ours = part(plan.our_weights, weights, shape, replica);
    if (!pass.reordered_weights) return ours;
    const memory theirs = wrap(pass.weights, RawAccess::address(pass.reordered_weights->view()));
    execute(pass.reorder, {{DNNL_ARG_FROM, ours}, {DNNL_ARG_TO, theirs}});
    return theirs;
  }

  void execute(const dnnl::primitive& primitive, const std::unordered_map<int, memory>& arguments) {
    primitive.execute(stream_, arguments);
    if (device_.info().is_cpu()) device_.state().queue().wait_and_throw();
  }

  template <class Work>
  void for_each_replica(const ConvolutionShape& shape, Work&& work) {
    calling_onednn([&] {
      if (device_.info().is_cpu()) device_.state().queue().wait_and_throw();
      for (int replica = 0; replica < shape.replicas; ++replica) work(replica);
    });
  }

  template <class Work>
  static decltype(auto) calling_onednn(Work&& work) {
    try {
      return calling_sycl("convolution", std::forward<Work>(work));
    } catch (const dnnl::error& error) {
      throw_device_error("oneDNN: {} (status {}); the portable backend does not use oneDNN", error.what(),
                         static_cast<int>(error.status));
    }
  }

  Convolution& plan_for(const ConvolutionShape& all_replicas) {
    ConvolutionShape shape = all_replicas;
    shape.replicas = 1;
    for (const auto& plan : plans_)
      if (plan->shape == shape) return *plan;
    calling_onednn([&] {
      tbb::task_arena whole_machine(static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)));
      whole_machine.execute([&] { plans_.push_back(std::make_unique<Convolution>(device_, engine_, shape)); });
    });
    const std::string names = implementation(shape);
    spdlog::debug("convolution {}x{}x{} -> {} channels, batch {}: {}", shape.height, shape.width, shape.input_channels,
                  shape.output_channels, shape.batch, names);
    if (names.find("ref:") != std::string::npos)
      spdlog::warn(
          "oneDNN has only its slow reference convolution for this shape ({}); the portable backend may be faster",
          names);
    return *plans_.back();
  }

  Device& device_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<std::unique_ptr<Convolution>> plans_;
};

std::string why_not(const DeviceInfo& device) {
  // Only oneDNN knows which devices it was built for, so an engine is made on trial.
  try {
    const auto& sycl_device = device.handle->device;
    dnnl::sycl_interop::make_engine(sycl_device, sycl::context(sycl_device));
    return {};
  } catch (const std::exception& error) {
    return fmt::format("this oneDNN was not built for it ({})", error.what());
  }
}

}  // namespace

const ConvolutionBackendEntry onednn_convolution{
    "onednn", why_not,
    [](Device& device) -> std::unique_ptr<ConvolutionBackend> { return std::make_unique<OnednnBackend>(device); }};

}  // namespace cambium
