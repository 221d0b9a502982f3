// Two-dimensional convolutions of R replicas: forward, gradient of the input, gradient of weights and bias.
//
//   input   (R, B, H, W, I)      channels last
//   weights (R, KH, KW, I, O)
//   bias    (R, O)
//   output  (R, B, OH, OW, O)    OH = (H + 2 * padding - KH) / stride + 1, OW likewise
//
// Two backends compute the same, and are tested against the same double-precision reference:
//   onednn    oneDNN on the device's queue          (CPUs, Intel GPUs)
//   portable  our own kernels, convolution_portable.cpp     (every device)
// Results are overwritten, not accumulated. The bits of a replica depend neither on other replicas nor on the number of
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sycl/memory.hpp"

namespace cambium {

class Device;
struct DeviceInfo;

struct ConvolutionShape {
  std::int32_t replicas, batch, height, width, input_channels, output_channels;
  std::int32_t kernel_height = 3, kernel_width = 3, stride = 1, padding = 1;

  std::int32_t output_height() const { return (height + 2 * padding - kernel_height) / stride + 1; }
  std::int32_t output_width() const { return (width + 2 * padding - kernel_width) / stride + 1; }
  std::size_t input_size() const;
  std::size_t weights_size() const;
  std::size_t bias_size() const;
  std::size_t output_size() const;
  double flops() const;  // multiplications and additions of one forward pass
  bool operator==(const ConvolutionShape&) const = default;
};

// An empty `bias`: no bias.
void convolution_forward(Device& device, const ConvolutionShape& shape, View<const float> input,
                         View<const float> weights, View<const float> bias, View<float> output);
void convolution_backward_data(Device& device, const ConvolutionShape& shape, View<const float> output_gradient,
                               View<const float> weights, View<float> input_gradient);
void convolution_backward_weights(Device& device, const ConvolutionShape& shape, View<const float> input,
                                  View<const float> output_gradient, View<float> weights_gradient,
                                  View<float> bias_gradient);

// Backends receive shapes that have been checked and are not empty.
class ConvolutionBackend {
 public:
  virtual ~ConvolutionBackend() = default;
  virtual std::string_view name() const = 0;
  // True if it uses nothing but Device::launch(), so that its steps can be recorded.
  virtual bool recordable() const { return false; }
  virtual void forward(const ConvolutionShape& shape, View<const float> input, View<const float> weights,
                       View<const float> bias, View<float> output) = 0;
  virtual void backward_data(const ConvolutionShape& shape, View<const float> output_gradient,
                             View<const float> weights, View<float> input_gradient) = 0;
  virtual void backward_weights(const ConvolutionShape& shape, View<const float> input,
                                View<const float> output_gradient, View<float> weights_gradient,
                                View<float> bias_gradient) = 0;
  // The implementations that the three passes use for a shape, for logs and benchmarks.
  virtual std::string implementation(const ConvolutionShape& shape) = 0;
};

struct ConvolutionBackendEntry {
  std::string_view name;
  std::string (*why_not)(const DeviceInfo& device);  // empty when it runs on the device
  std::unique_ptr<ConvolutionBackend> (*make)(Device& device);
};

// All backends in order of preference. Those that this program was built without give that as their reason.
std::span<const ConvolutionBackendEntry> convolution_backends();

extern const ConvolutionBackendEntry onednn_convolution, portable_convolution;

}  // namespace cambium
