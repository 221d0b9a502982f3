#include "bench/products.hpp"

#include <fmt/format.h>

namespace cambium::bench {

std::span<const ProductNetwork> product_networks() {
  static const ProductNetwork networks[] = {{"MLP dense", {784, 256, 256, 10}, false},
                                            {"MLP 20 % compact", {784, 51, 51, 10}, false},
                                            {"ConvNet head dense", {4096, 512, 512, 256, 100}, true},
                                            {"ConvNet head 20 % compact", {4096, 102, 102, 51, 100}, true}};
  return networks;
}

std::vector<Product> products(const ProductNetwork& network, int batch) {
  std::vector<Product> all;
  for (std::size_t l = 0; l + 1 < network.widths.size(); ++l) {
    const auto layer = fmt::format("fc{}", l + 1);
    const int inputs = network.widths[l], units = network.widths[l + 1];
    all.push_back({layer, "forward", Transpose::no, Transpose::no, batch, units, inputs});
    if (l > 0 || network.gradient_of_input)
      all.push_back({layer, "input gradient", Transpose::no, Transpose::yes, batch, inputs, units});
    all.push_back({layer, "weight gradient", Transpose::yes, Transpose::no, inputs, units, batch});
  }
  return all;
}

std::span<const ConvolutionLayer> convolution_layers() {
  static const ConvolutionLayer layers[] = {{"conv1", 32, 3, 32, false}, {"conv2", 16, 32, 64, true}};
  return layers;
}

ConvolutionShape ConvolutionLayer::shape(int replicas, int batch) const {
  return {.replicas = replicas,
          .batch = batch,
          .height = size,
          .width = size,
          .input_channels = input_channels,
          .output_channels = output_channels};
}

ProductCall::ProductCall(Device& device, const Product& p, int replicas)
    : device_(device),
      product_(p),
      replicas_(replicas),
      a_(device, static_cast<std::size_t>(replicas) * p.m * p.k),
      b_(device, static_cast<std::size_t>(replicas) * p.k * p.n),
      c_(device, static_cast<std::size_t>(replicas) * p.m * p.n) {
  for (auto* buffer : {&a_, &b_, &c_}) buffer->clear();
}

void ProductCall::run() {
  const auto& p = product_;
  const bool ta = p.transpose_a == Transpose::yes, tb = p.transpose_b == Transpose::yes;
  const Matrices<float> a(a_, replicas_, ta ? p.k : p.m, ta ? p.m : p.k),
      b(b_, replicas_, tb ? p.n : p.k, tb ? p.k : p.n), c(c_, replicas_, p.m, p.n);
  cambium::gemm(device_, p.transpose_a, p.transpose_b, 1.0f, a, b, 0.0f, c);
}

ConvolutionCall::ConvolutionCall(Device& device, const ConvolutionShape& shape)
    : device_(device),
      shape_(shape),
      input_(device, shape.input_size()),
      weights_(device, shape.weights_size()),
      bias_(device, shape.bias_size()),
      output_(device, shape.output_size()) {
  for (auto* buffer : {&input_, &weights_, &bias_, &output_}) buffer->clear();
}

void ConvolutionCall::run(ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::forward:
      return convolution_forward(device_, shape_, input_, weights_, bias_, output_);
    case ConvolutionPass::backward_data:
      return convolution_backward_data(device_, shape_, output_, weights_, input_);
    case ConvolutionPass::backward_weights:
      return convolution_backward_weights(device_, shape_, input_, output_, weights_, bias_);
  }
}

}  // namespace cambium::bench
