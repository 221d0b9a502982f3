// The convolutions of the ConvNet, per backend, beside oneDNN called without Cambium.

#include "sycl/convolution.hpp"

#include <fmt/format.h>

#include "bench/bench.hpp"
#include "bench/direct_convolution.hpp"

namespace cambium::bench {
namespace {

struct Layer {
  std::string name;
  int size, input_channels, output_channels;
};
const Layer layers[] = {{"conv1", 32, 3, 32}, {"conv2", 16, 32, 64}};

constexpr std::pair<ConvolutionPass, const char*> passes[] = {{ConvolutionPass::forward, "forward"},
                                                              {ConvolutionPass::backward_data, "input gradient"},
                                                              {ConvolutionPass::backward_weights, "weight gradient"}};

}  // namespace

nlohmann::json convolution(Device& device, const Options& options) {
  const auto backends = select_backends(device.info().convolution, options.backends, "convolution");
  auto columns = backends;
#ifdef CAMBIUM_WITH_ONEDNN
  const bool direct = !backends.empty() && backends.front() == "onednn";
#else
  const bool direct = false;
#endif
  if (direct) columns.push_back("direct");

  const double peak = measured_peak(device);
  nlohmann::json result{{"peak_gflops", peak}};
  fmt::print("peak (GEMM 1536 x 1536 x 1536): {:.0f} GFLOP/s; GFLOP/s below, % of that peak in brackets\n", peak);
  if (direct) fmt::print("direct: oneDNN's primitive alone, its weights already reordered\n");
  print_header(columns);
  if (direct) fmt::print(" {:>14}", "onednn/direct");
  fmt::print("\n");

  for (const int replicas : options.replicas)
    for (const int batch : options.batches)
      for (const auto& layer : layers) {
        const ConvolutionShape s{.replicas = replicas,
                                 .batch = batch,
                                 .height = layer.size,
                                 .width = layer.size,
                                 .input_channels = layer.input_channels,
                                 .output_channels = layer.output_channels};
        Buffer<float> input(device, s.input_size()), weights(device, s.weights_size()), bias(device, s.bias_size()),
            output(device, s.output_size());
        for (auto* buffer : {&input, &weights, &bias, &output}) buffer->clear();
        for (const auto& [pass, pass_name] : passes) {
          if (pass == ConvolutionPass::backward_data && layer.name == "conv1") continue;  // nothing lies before it
          std::vector<Candidate> candidates;
          for (const auto& backend : backends)
            candidates.push_back([&, backend, pass = pass](int calls) {
              device.use_convolution_backend(backend);
              for (int i = 0; i < calls; ++i) {
                if (pass == ConvolutionPass::forward)
                  convolution_forward(device, s, input, weights, bias, output);
                else if (pass == ConvolutionPass::backward_data)
                  convolution_backward_data(device, s, output, weights, input);
                else
                  convolution_backward_weights(device, s, input, output, weights, bias);
              }
              device.wait();
            });
#ifdef CAMBIUM_WITH_ONEDNN
          if (direct) candidates.push_back(direct_convolution(device, s, pass));
#endif
          const auto timings = measure_alternately(candidates, options.effort);

          nlohmann::json entry{{"layer", layer.name}, {"pass", pass_name}, {"batch", batch}, {"replicas", replicas}};
          std::vector<double> seconds;
          for (std::size_t i = 0; i < columns.size(); ++i) {
            seconds.push_back(timings[i].median);
            entry["backends"][columns[i]] = to_json(timings[i]);
            entry["backends"][columns[i]]["gflops"] = s.flops() / timings[i].median * 1e-9;
          }
          print_rates(fmt::format("{} {}, batch {}, {} replica{}", layer.name, pass_name, batch, replicas,
                                  replicas == 1 ? "" : "s"),
                      s.flops(), seconds, peak);
          if (direct) {
            const double ratio = timings.back().median / timings.front().median;
            fmt::print(" {:>14.2f}", ratio);
            entry["onednn_vs_direct"] = ratio;
          }
          fmt::print("\n");
          result["shapes"].push_back(std::move(entry));
        }
      }

  // Which implementations were measured.
  for (const auto& backend : backends) {
    device.use_convolution_backend(backend);
    for (const auto& layer : layers) {
      const ConvolutionShape s{.replicas = 1,
                               .batch = options.batches.front(),
                               .height = layer.size,
                               .width = layer.size,
                               .input_channels = layer.input_channels,
                               .output_channels = layer.output_channels};
      const auto names = device.convolution().implementation(s);
      fmt::print("{} {}: {}\n", backend, layer.name, names);
      result["implementations"][backend][layer.name] = names;
    }
  }
  device.use_convolution_backend("");
  return result;
}

}  // namespace cambium::bench
