// The matrix products and convolutions of both networks, for the benchmarks and the tuner.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sycl/convolution.hpp"
#include "sycl/gemm.hpp"

namespace cambium::bench {

struct Product {
  std::string layer, pass;
  Transpose transpose_a, transpose_b;
  int m, n, k;

  double flops() const { return 2.0 * m * n * k; }
};

struct ProductNetwork {
  std::string name;
  std::vector<int> widths;  // from the input of the first fully connected layer to the logits
  bool gradient_of_input;   // true if trainable layers precede that input
};

std::span<const ProductNetwork> product_networks();

// Forward x W, gradient of the input d W^T, gradient of the weights x^T d, with W (inputs, units).
std::vector<Product> products(const ProductNetwork& network, int batch);

enum class ConvolutionPass { forward, backward_data, backward_weights };
inline constexpr std::pair<ConvolutionPass, const char*> convolution_passes[] = {
    {ConvolutionPass::forward, "forward"},
    {ConvolutionPass::backward_data, "input gradient"},
    {ConvolutionPass::backward_weights, "weight gradient"}};

// The ConvNet's convolutions.
struct ConvolutionLayer {
  std::string name;
  int size, input_channels, output_channels;
  bool gradient_of_input;

  ConvolutionShape shape(int replicas, int batch) const;
};
std::span<const ConvolutionLayer> convolution_layers();

// Operands of one product or convolution, on the device and filled with zeros, and the call itself.
class ProductCall {
 public:
  ProductCall(Device& device, const Product& product, int replicas);
  void run();

 private:
  Device& device_;
  Product product_;
  int replicas_;
  Buffer<float> a_, b_, c_;
};

class ConvolutionCall {
 public:
  ConvolutionCall(Device& device, const ConvolutionShape& shape);
  void run(ConvolutionPass pass);

 private:
  Device& device_;
  ConvolutionShape shape_;
  Buffer<float> input_, weights_, bias_, output_;
};

}  // namespace cambium::bench
