#include "bench/direct_convolution.hpp"

#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_sycl.hpp>

#include "sycl/handles.hpp"

namespace cambium::bench {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

}  // namespace

Candidate direct_convolution(Device& device, const ConvolutionShape& s, ConvolutionPass pass) {
  struct Setting {
    sycl::queue queue;
    dnnl::engine engine;
    dnnl::stream stream;
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };
  const sycl::queue& other = device.state().queue();
  sycl::queue queue(other.get_context(), other.get_device(), sycl::property::queue::in_order{});
  const auto engine = dnnl::sycl_interop::make_engine(queue.get_device(), queue.get_context());
  auto setting =
      std::make_shared<Setting>(Setting{queue, engine, dnnl::sycl_interop::make_stream(engine, queue), {}, {}});

  const auto describe = [](const memory::dims& dims, Tag tag) {
    return memory::desc(dims, memory::data_type::f32, tag);
  };
  const auto input = describe({s.batch, s.input_channels, s.height, s.width}, Tag::nhwc);
  const auto weights = describe({s.output_channels, s.input_channels, s.kernel_height, s.kernel_width}, Tag::any);
  const auto bias = describe({s.output_channels}, Tag::a);
  const auto output = describe({s.batch, s.output_channels, s.output_height(), s.output_width()}, Tag::nhwc);
  const memory::dims strides{s.stride, s.stride}, padding{s.padding, s.padding};
  constexpr auto direct = dnnl::algorithm::convolution_direct;
  // Written once: pages that were never written share one page of zeros, which is unrealistically fast to read.
  const auto room = [&](const memory::desc& description) {
    memory result(description, engine);
    queue.memset(result.get_data_handle(), 0, description.get_size()).wait();
    return result;
  };

  const dnnl::convolution_forward::primitive_desc forward(engine, dnnl::prop_kind::forward_training, direct, input,
                                                          weights, bias, output, strides, padding, padding);
  if (pass == ConvolutionPass::forward) {
    setting->primitive = dnnl::convolution_forward(forward);
    setting->arguments = {{DNNL_ARG_SRC, room(input)},
                          {DNNL_ARG_WEIGHTS, room(forward.weights_desc())},
                          {DNNL_ARG_BIAS, room(bias)},
                          {DNNL_ARG_DST, room(output)}};
  } else if (pass == ConvolutionPass::backward_data) {
    const dnnl::convolution_backward_data::primitive_desc backward(engine, direct, input, weights, output, strides,
                                                                   padding, padding, forward);
    setting->primitive = dnnl::convolution_backward_data(backward);
    setting->arguments = {{DNNL_ARG_DIFF_DST, room(output)},
                          {DNNL_ARG_WEIGHTS, room(backward.weights_desc())},
                          {DNNL_ARG_DIFF_SRC, room(input)}};
  } else {
    const dnnl::convolution_backward_weights::primitive_desc backward(engine, direct, input, weights, bias, output,
                                                                      strides, padding, padding, forward);
    setting->primitive = dnnl::convolution_backward_weights(backward);
    setting->arguments = {{DNNL_ARG_SRC, room(input)},
                          {DNNL_ARG_DIFF_DST, room(output)},
                          {DNNL_ARG_DIFF_WEIGHTS, room(backward.diff_weights_desc())},
                          {DNNL_ARG_DIFF_BIAS, room(bias)}};
  }
  return [setting, replicas = s.replicas](int calls) {
    for (int i = 0; i < calls * replicas; ++i) {
      setting->primitive.execute(setting->stream, setting->arguments);
      setting->stream.wait();
    }
  };
}

}  // namespace cambium::bench
