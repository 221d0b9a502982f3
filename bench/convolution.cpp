// The convolutions of the ConvNet, per backend, compared with oneDNN called without Cambium.

#include "sycl/convolution.hpp"

#include <fmt/format.h>

#include "bench/bench.hpp"
#include "bench/direct_convolution.hpp"
#include "bench/products.hpp"

namespace cambium::bench {
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
      for (const auto& layer : convolution_layers()) {
        const auto s = layer.shape(replicas, batch);
        ConvolutionCall call(device, s);
        for (const auto& [pass, pass_name] : convolution_passes) {
          if (pass == ConvolutionPass::backward_data && !layer.gradient_of_input) continue;
          std::vector<Candidate> candidates;
          for (const auto& backend : backends)
            candidates.push_back([&, backend, pass = pass](int calls) {
              device.use_convolution_backend(backend);
              for (int i = 0; i < calls; ++i) call.run(pass);
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
    for (const auto& layer : convolution_layers()) {
      const auto names = device.convolution().implementation(layer.shape(1, options.batches.front()));
      fmt::print("{} {}: {}\n", backend, layer.name, names);
      result["implementations"][backend][layer.name] = names;
    }
  }
  device.use_convolution_backend("");
  return result;
}

}  // namespace cambium::bench
