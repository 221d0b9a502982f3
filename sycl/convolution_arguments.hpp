// Arguments of the portable convolution backend's kernels: convolution.sycl for GPUs, convolution_cpu.sycl for CPUs,
// transpose_weights.sycl.
#pragma once

#include "sycl/kernel_arguments.hpp"

namespace cambium {

// Kernels for GPUs compute with unsigned sizes, those for CPUs with signed ones.
template <class Integer>
struct ConvolutionSizes {
  Integer replicas, batch, height, width, input_channels, output_channels, kernel_height, kernel_width, stride, padding,
      output_height, output_width;
};
using UnsignedSizes = ConvolutionSizes<std::uint32_t>;
using SignedSizes = ConvolutionSizes<std::int32_t>;
ASSERT_LAYOUT(UnsignedSizes, replicas, batch, height, width, input_channels, output_channels, kernel_height,
              kernel_width, stride, padding, output_height, output_width);
ASSERT_LAYOUT(SignedSizes, replicas, batch, height, width, input_channels, output_channels, kernel_height, kernel_width,
              stride, padding, output_height, output_width);

struct ConvolutionTileArguments {
  View<const float> images;  // input, or the gradient of the output for backward data
  View<const float> matrix;  // weights, transposed weights (R, KH, KW, O, I), or the gradient of the output
  View<const float> bias;    // (R, O) or empty; forward only
  View<float> result;
  UnsignedSizes sizes;
  std::uint32_t chunk;  // images whose weight gradients are summed together; backward weights only
  std::uint32_t aligned_images, aligned_matrix, aligned_result;  // every row starts at a multiple of 16 bytes
};
ASSERT_LAYOUT(ConvolutionTileArguments, images, matrix, bias, result, sizes, chunk, aligned_images, aligned_matrix,
              aligned_result);

struct ForwardBandArguments {
  View<const float> input, weights, bias;
  View<float> output;
  SignedSizes sizes;
  std::int32_t band_rows;
};
ASSERT_LAYOUT(ForwardBandArguments, input, weights, bias, output, sizes, band_rows);

struct WeightsBandArguments {
  View<const float> input, output_gradient;
  View<float> partial;
  SignedSizes sizes;
  std::int32_t band_rows, chunk;
};
ASSERT_LAYOUT(WeightsBandArguments, input, output_gradient, partial, sizes, band_rows, chunk);

struct TransposeWeightsArguments {
  View<const float> weights;
  View<float> transposed;
  std::uint32_t taps, inputs, outputs, flip;
};
ASSERT_LAYOUT(TransposeWeightsArguments, weights, transposed, taps, inputs, outputs, flip);

}  // namespace cambium

DECLARE_KERNEL(convolution_forward, ConvolutionTileArguments)
DECLARE_KERNEL(convolution_backward_data, ConvolutionTileArguments)
DECLARE_KERNEL(convolution_backward_weights, ConvolutionTileArguments)
DECLARE_KERNEL(convolution_forward_in_bands, ForwardBandArguments)
DECLARE_KERNEL(convolution_backward_weights_in_bands, WeightsBandArguments)
DECLARE_KERNEL(transpose_weights, TransposeWeightsArguments)
