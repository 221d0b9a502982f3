// The portable convolution backend: launches sycl/convolution_cpu.sycl on CPUs and sycl/convolution.sycl on GPUs. Both
// add up the same terms in the same order. The kernels for CPUs need a multiple of the vector width of output channels;
// other shapes use those for GPUs.

#include "sycl/convolution_portable.hpp"

#include "sycl/column_sums.hpp"
#include "sycl/convolution.hpp"
#include "sycl/convolution_arguments.hpp"
#include "sycl/device.hpp"
#include "sycl/kernel_units.hpp"
#include "sycl/tuning.hpp"

namespace cambium {
namespace {

using std::int32_t;

// Images whose weight gradients are summed by one work-group.
constexpr int32_t images_per_chunk = 4;

std::size_t count(int32_t value) { return static_cast<std::size_t>(value); }
std::size_t ceil_div(std::size_t value, std::size_t divisor) { return (value + divisor - 1) / divisor; }
std::size_t taps(const ConvolutionShape& s) { return count(s.kernel_height) * count(s.kernel_width); }

template <class Integer>
ConvolutionSizes<Integer> sizes_of(const ConvolutionShape& s) {
  const auto size = [](int32_t value) { return static_cast<Integer>(value); };
  return {size(s.replicas),       size(s.batch),           size(s.height),          size(s.width),
          size(s.input_channels), size(s.output_channels), size(s.kernel_height),   size(s.kernel_width),
          size(s.stride),         size(s.padding),         size(s.output_height()), size(s.output_width())};
}

std::size_t items_of(const TileSize& tile) { return static_cast<std::size_t>(tile.rows / 4 * (tile.columns / 4)); }
// Wide tiles only for more than 32 columns, tall ones only for many rows.
int choose_tiling(std::size_t rows, std::size_t columns) { return columns > 32 ? 0 : rows > 64 ? 1 : 2; }

// Output rows of one band, in bands of equal height; 0 if not even one row fits.
int32_t band_rows(const ConvolutionShape& s) {
  const int32_t rows = convolution_band_floats / ((s.width + 2 * s.padding) * s.input_channels);
  if (rows < s.kernel_height) return 0;
  const std::size_t most = count((rows - s.kernel_height) / s.stride + 1);
  const std::size_t bands = ceil_div(count(s.output_height()), most);
  return static_cast<int32_t>(ceil_div(count(s.output_height()), bands));
}

// The convolution that computes the gradient of the input from the gradient of the output and flipped weights.
ConvolutionShape reversed(const ConvolutionShape& s) {
  ConvolutionShape result = s;
  result.height = s.output_height();
  result.width = s.output_width();
  std::swap(result.input_channels, result.output_channels);
  result.padding = s.kernel_height - 1 - s.padding;
  return result;
}

// True if every pixel of an image with so many channels starts at a multiple of 16 bytes.
template <class T>
bool is_aligned(View<T> view, int32_t channels) {
  return channels % 4 == 0 && reinterpret_cast<std::uintptr_t>(RawAccess::address(view)) % 16 == 0;
}

class PortableBackend final : public ConvolutionBackend {
 public:
  explicit PortableBackend(Device& device)
      : device_(device), vector_width_(device.info().vector_width >= 16 ? 16 : 8) {}

  std::string_view name() const override { return portable_convolution.name; }
  bool recordable() const override { return true; }

  void forward(const ConvolutionShape& s, View<const float> input, View<const float> weights, View<const float> bias,
               View<float> output) override {
    if (fits_vectors(s)) return forward_in_vectors(s, input, weights, bias, output);
    launch_tiles(kernels::convolution_forward, count(s.replicas),
                 count(s.batch) * count(s.output_height()) * count(s.output_width()), count(s.output_channels),
                 taps(s) * count(s.input_channels),
                 {input, weights, bias, output, sizes_of<std::uint32_t>(s), 0, is_aligned(input, s.input_channels),
                  is_aligned(weights, s.output_channels), is_aligned(output, s.output_channels)});
  }

  void backward_data(const ConvolutionShape& s, View<const float> output_gradient, View<const float> weights,
                     View<float> input_gradient) override {
    const auto reverse = reversed(s);
    const bool in_vectors =
        s.stride == 1 && s.kernel_height == s.kernel_width && reverse.padding >= 0 && fits_vectors(reverse);
    const auto transposed = weights_room_.get(device_, s.weights_size());
    device_.launch(
        Kernel(transpose_weights_unit, kernels::transpose_weights),
        {count(s.replicas) * taps(s), count(s.output_channels), count(s.input_channels)},
        {weights, transposed, static_cast<std::uint32_t>(taps(s)), static_cast<std::uint32_t>(s.input_channels),
         static_cast<std::uint32_t>(s.output_channels), in_vectors});
    if (in_vectors) return forward_in_vectors(reverse, output_gradient, transposed, {}, input_gradient);
    launch_tiles(kernels::convolution_backward_data, count(s.replicas),
                 count(s.batch) * count(s.height) * count(s.width), count(s.input_channels),
                 taps(s) * count(s.output_channels),
                 {output_gradient,
                  transposed,
                  {},
                  input_gradient,
                  sizes_of<std::uint32_t>(s),
                  0,
                  is_aligned(output_gradient, s.output_channels),
                  is_aligned(transposed, s.input_channels),
                  is_aligned(input_gradient, s.input_channels)});
  }

  void backward_weights(const ConvolutionShape& s, View<const float> input, View<const float> output_gradient,
                        View<float> weights_gradient, View<float> bias_gradient) override {
    const std::size_t chunks = ceil_div(count(s.batch), count(images_per_chunk));
    const auto partial = weights_room_.get(device_, chunks * s.weights_size());
    if (fits_vectors(s))
      device_.launch_groups(Kernel(band_unit(), kernels::convolution_backward_weights_in_bands),
                            {count(s.replicas), chunks, 1}, {1, 1, 1},
                            {input, output_gradient, partial, sizes_of<int32_t>(s), band_rows(s), images_per_chunk});
    else
      launch_tiles(kernels::convolution_backward_weights, count(s.replicas) * chunks, taps(s) * count(s.input_channels),
                   count(s.output_channels),
                   count(images_per_chunk) * count(s.output_height()) * count(s.output_width()),
                   {input,
                    output_gradient,
                    {},
                    partial,
                    sizes_of<std::uint32_t>(s),
                    static_cast<std::uint32_t>(images_per_chunk),
                    is_aligned(input, s.input_channels),
                    is_aligned(output_gradient, s.output_channels),
                    is_aligned(partial, s.output_channels)});
    column_sums(device_, partial, count(s.replicas), chunks, s.weights_size() / count(s.replicas), weights_gradient,
                sums_room_);
    column_sums(device_, output_gradient, count(s.replicas),
                count(s.batch) * count(s.output_height()) * count(s.output_width()), count(s.output_channels),
                bias_gradient, sums_room_);
  }

  std::string implementation(const ConvolutionShape& s) override {
    return fits_vectors(s) ? band_unit().name()
                           : convolution_tile_units[choose_tiling(count(s.batch) * count(s.output_height()) *
                                                                      count(s.output_width()),
                                                                  count(s.output_channels))]
                                 .name();
  }

 private:
  bool fits_vectors(const ConvolutionShape& s) const {
    return device_.portable_kernels() == PortableKernels::cpu && s.output_channels % vector_width_ == 0 &&
           band_rows(s) > 0;
  }
  const KernelUnit& band_unit() const { return vector_width_ == 16 ? wide_convolution_unit : narrow_convolution_unit; }

  void forward_in_vectors(const ConvolutionShape& s, View<const float> input, View<const float> weights,
                          View<const float> bias, View<float> output) {
    const int32_t rows = band_rows(s);
    device_.launch_groups(Kernel(band_unit(), kernels::convolution_forward_in_bands),
                          {count(s.replicas) * count(s.batch), ceil_div(count(s.output_height()), count(rows)), 1},
                          {1, 1, 1}, {input, weights, bias, output, sizes_of<int32_t>(s), rows});
  }

  void launch_tiles(KernelName<ConvolutionTileArguments> kernel, std::size_t matrices, std::size_t rows,
                    std::size_t columns, std::size_t depth, const ConvolutionTileArguments& arguments) {
    const auto size = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    const int index = device_.tuning().choose({kernel.text, size(rows), size(columns), size(depth), size(matrices)},
                                              convolution_tiles, choose_tiling(rows, columns));
    const TileSize& tile = convolution_tiles[index];
    device_.launch_groups(Kernel(convolution_tile_units[index], kernel),
                          {matrices, ceil_div(rows, static_cast<std::size_t>(tile.rows)),
                           ceil_div(columns, static_cast<std::size_t>(tile.columns))},
                          {1, 1, items_of(tile)}, arguments);
  }

  Device& device_;
  int32_t vector_width_;
  Workspace weights_room_, sums_room_;
};

}  // namespace

const ConvolutionBackendEntry portable_convolution{
    "portable", [](const DeviceInfo&) { return std::string(); },
    [](Device& device) -> std::unique_ptr<ConvolutionBackend> { return std::make_unique<PortableBackend>(device); }};

}  // namespace cambium
