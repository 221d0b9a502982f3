// The portable convolution backend: launches sycl/convolution.sycl.

#include "sycl/column_sums.hpp"
#include "sycl/convolution.hpp"
#include "sycl/device.hpp"

namespace cambium {
namespace {

const KernelUnit unit("sycl/convolution.sycl");

// As in convolution.sycl.
constexpr std::int32_t pixels = 4, channels = 4;
// Images whose weight gradients one work-item sums.
constexpr std::int32_t images_per_chunk = 4;

struct Shape {
  ConvolutionShape shape;
  std::int32_t output_height, output_width;
  explicit Shape(const ConvolutionShape& s)
      : shape(s), output_height(s.output_height()), output_width(s.output_width()) {}
};

std::size_t blocks_of(std::int32_t length, std::int32_t block) {
  return static_cast<std::size_t>((length + block - 1) / block);
}

class PortableBackend final : public ConvolutionBackend {
 public:
  explicit PortableBackend(Device& device) : device_(device) {}

  std::string_view name() const override { return portable_convolution.name; }

  void forward(const ConvolutionShape& s, View<const float> input, View<const float> weights, View<const float> bias,
               View<float> output) override {
    device_.launch(
        unit, "convolution_forward",
        {images(s), count(s.output_height()) * blocks_of(s.output_width(), pixels), count(s.output_channels)}, input,
        weights, bias, output, Shape(s));
  }

  void backward_data(const ConvolutionShape& s, View<const float> output_gradient, View<const float> weights,
                     View<float> input_gradient) override {
    const auto transposed = weights_room_.get(device_, s.weights_size());
    device_.launch(unit, "transpose_weights",
                   {count(s.replicas) * count(s.kernel_height) * count(s.kernel_width), count(s.output_channels),
                    count(s.input_channels)},
                   weights, transposed, Shape(s));
    device_.launch(unit, "convolution_backward_data",
                   {images(s), count(s.height) * blocks_of(s.width, pixels), count(s.input_channels)}, output_gradient,
                   View<const float>(transposed), input_gradient, Shape(s));
  }

  void backward_weights(const ConvolutionShape& s, View<const float> input, View<const float> output_gradient,
                        View<float> weights_gradient, View<float> bias_gradient) override {
    const std::size_t chunks = blocks_of(s.batch, images_per_chunk);
    const std::size_t taps = count(s.kernel_height) * count(s.kernel_width);
    const auto partial = weights_room_.get(device_, chunks * s.weights_size());
    device_.launch(unit, "convolution_backward_weights",
                   {count(s.replicas) * chunks, taps * blocks_of(s.input_channels, channels), count(s.output_channels)},
                   input, output_gradient, partial, Shape(s), images_per_chunk);
    column_sums(device_, partial, count(s.replicas), chunks, s.weights_size() / count(s.replicas), weights_gradient,
                sums_room_);
    column_sums(device_, output_gradient, count(s.replicas),
                count(s.batch) * count(s.output_height()) * count(s.output_width()), count(s.output_channels),
                bias_gradient, sums_room_);
  }

  std::string implementation(const ConvolutionShape&) override { return "sycl/convolution.sycl"; }

 private:
  static std::size_t count(std::int32_t value) { return static_cast<std::size_t>(value); }
  static std::size_t images(const ConvolutionShape& s) { return count(s.replicas) * count(s.batch); }

  Device& device_;
  Workspace weights_room_, sums_room_;
};

}  // namespace

const ConvolutionBackendEntry portable_convolution{
    "portable", [](const DeviceInfo&) { return std::string(); },
    [](Device& device) -> std::unique_ptr<ConvolutionBackend> { return std::make_unique<PortableBackend>(device); }};

}  // namespace cambium
