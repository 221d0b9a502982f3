#include "sycl/convolution.hpp"

#include <vector>

#include "sycl/device.hpp"

namespace cambium {
namespace {

std::size_t product(std::initializer_list<std::int32_t> factors) {
  std::size_t result = 1;
  for (const auto factor : factors) result *= static_cast<std::size_t>(factor);
  return result;
}

void check_shape(const ConvolutionShape& s) {
  expect(s.replicas >= 0 && s.batch >= 0 && s.height > 0 && s.width > 0 && s.input_channels > 0 &&
             s.output_channels > 0 && s.kernel_height > 0 && s.kernel_width > 0 && s.stride > 0 && s.padding >= 0 &&
             s.height + 2 * s.padding >= s.kernel_height && s.width + 2 * s.padding >= s.kernel_width,
         "convolution of a {} x {} image with {} channels by {} kernels of {} x {}, stride {}, padding {}", s.height,
         s.width, s.input_channels, s.output_channels, s.kernel_height, s.kernel_width, s.stride, s.padding);
}

template <class T>
void check_size(const View<T>& view, std::size_t size, std::string_view which) {
  expect(view.size() == size, "convolution: the {} has {} elements, the shape needs {}", which, view.size(), size);
}

}  // namespace

std::size_t ConvolutionShape::input_size() const { return product({replicas, batch, height, width, input_channels}); }
std::size_t ConvolutionShape::weights_size() const {
  return product({replicas, kernel_height, kernel_width, input_channels, output_channels});
}
std::size_t ConvolutionShape::bias_size() const { return product({replicas, output_channels}); }
std::size_t ConvolutionShape::output_size() const {
  return product({replicas, batch, output_height(), output_width(), output_channels});
}
double ConvolutionShape::flops() const {
  return 2.0 * static_cast<double>(output_size()) *
         static_cast<double>(product({kernel_height, kernel_width, input_channels}));
}

std::span<const ConvolutionBackendEntry> convolution_backends() {
  static const std::vector<ConvolutionBackendEntry> entries{
#ifdef CAMBIUM_WITH_ONEDNN
      onednn_convolution,
#else
      {"onednn", [](const DeviceInfo&) { return std::string("Cambium was built without oneDNN"); }, nullptr},
#endif
      portable_convolution};
  return entries;
}

namespace {

ConvolutionBackend& backend_of(Device& device) {
  ConvolutionBackend& backend = device.convolution();
  if (!backend.recordable()) device.leave_recording("convolution", backend.name());
  return backend;
}

}  // namespace

void convolution_forward(Device& device, const ConvolutionShape& shape, View<const float> input,
                         View<const float> weights, View<const float> bias, View<float> output) {
  check_shape(shape);
  check_size(input, shape.input_size(), "input");
  check_size(weights, shape.weights_size(), "weights");
  if (!bias.empty()) check_size(bias, shape.bias_size(), "bias");
  check_size(output, shape.output_size(), "output");
  if (shape.output_size() > 0) backend_of(device).forward(shape, input, weights, bias, output);
}

void convolution_backward_data(Device& device, const ConvolutionShape& shape, View<const float> output_gradient,
                               View<const float> weights, View<float> input_gradient) {
  check_shape(shape);
  check_size(output_gradient, shape.output_size(), "output gradient");
  check_size(weights, shape.weights_size(), "weights");
  check_size(input_gradient, shape.input_size(), "input gradient");
  if (shape.input_size() > 0) backend_of(device).backward_data(shape, output_gradient, weights, input_gradient);
}

void convolution_backward_weights(Device& device, const ConvolutionShape& shape, View<const float> input,
                                  View<const float> output_gradient, View<float> weights_gradient,
                                  View<float> bias_gradient) {
  check_shape(shape);
  expect(shape.batch > 0, "convolution: the gradient of the weights needs at least one image");
  check_size(input, shape.input_size(), "input");
  check_size(output_gradient, shape.output_size(), "output gradient");
  check_size(weights_gradient, shape.weights_size(), "gradient of the weights");
  check_size(bias_gradient, shape.bias_size(), "gradient of the bias");
  if (shape.replicas > 0)
    backend_of(device).backward_weights(shape, input, output_gradient, weights_gradient, bias_gradient);
}

}  // namespace cambium
