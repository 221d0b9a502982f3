// The matrix products of both networks, per backend, compared with oneMKL called without Cambium.

#include "sycl/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/bench.hpp"
#include "bench/direct_gemm.hpp"
#include "bench/products.hpp"

namespace cambium::bench {
namespace {

std::vector<Timing> time_product(Device& device, const Product& p, int replicas,
                                 const std::vector<std::string>& backends, DirectGemm& direct, const Options& options) {
  ProductCall call(device, p, replicas);
  std::vector<Candidate> candidates;
  for (const auto& backend : backends)
    candidates.push_back([&, backend](int calls) {
      device.use_gemm_backend(backend);
      for (int i = 0; i < calls; ++i) call.run();
      device.wait();
    });
  if (direct.available())
    candidates.push_back([&](int calls) {
      direct.run({p.transpose_a == Transpose::yes, p.transpose_b == Transpose::yes, p.m, p.n, p.k, replicas}, calls);
    });
  return measure_alternately(candidates, options.effort);
}

}  // namespace

nlohmann::json gemm(Device& device, const Options& options) {
  const auto backends = select_backends(device.info().gemm, options.backends, "GEMM");
  DirectGemm direct(device.info().is_cpu());
  auto columns = backends;
  if (direct.available()) columns.push_back("direct");

  const double peak = measured_peak(device);
  nlohmann::json result{{"peak_gflops", peak}};
  fmt::print("peak (1536 x 1536 x 1536, {}): {:.0f} GFLOP/s; GFLOP/s below, % of that peak in brackets\n",
             device.gemm().name(), peak);
  if (direct.available()) fmt::print("direct: cblas_sgemm of multi-threaded oneMKL, in a process of its own\n");
  print_header(columns);
  fmt::print("\n");

  // Compares native with direct: counts the shapes at which native has less than 0.9 of the speed and takes over 10 us
  // longer, and finds the worst shape.
  struct {
    int shapes = 0, slow = 0;
    double largest_delay = -1e9;
    std::string largest_delay_shape;
  } versus;
  const auto print_row = [&](const std::string& name, double flops, const std::vector<double>& seconds) {
    print_rates(name, flops, seconds, peak);
    fmt::print("\n");
  };

  const auto run = [&](const std::string& name, const std::vector<Product>& all, int batch, int replicas) {
    std::vector<double> total(columns.size());
    double total_flops = 0;
    for (const auto& p : all) {
      const auto timings = time_product(device, p, replicas, backends, direct, options);
      const auto shape = fmt::format("{}, batch {}, {} replicas, {} {}: {}x{}x{}", name, batch, replicas, p.layer,
                                     p.pass, p.m, p.n, p.k);
      nlohmann::json entry{{"network", name},  {"batch", batch}, {"replicas", replicas},
                           {"layer", p.layer}, {"pass", p.pass}, {"m", p.m},
                           {"n", p.n},         {"k", p.k}};
      std::vector<double> seconds;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        seconds.push_back(timings[i].median);
        total[i] += timings[i].median;
        entry["backends"][columns[i]] = to_json(timings[i]);
        entry["backends"][columns[i]]["gflops"] = replicas * p.flops() / timings[i].median * 1e-9;
      }
      total_flops += replicas * p.flops();
      if (options.every_shape)
        print_row(fmt::format("  {} b{} r{} {} {} {}x{}x{}", name, batch, replicas, p.layer, p.pass, p.m, p.n, p.k),
                  replicas * p.flops(), seconds);
      if (direct.available() && backends.front() == "native") {
        const double native = timings.front().lowest, direct_time = timings.back().lowest;
        const double delay = native - direct_time;
        ++versus.shapes;
        versus.slow += direct_time / native < 0.9 && delay > 10e-6;
        if (delay / replicas > versus.largest_delay) {
          versus.largest_delay = delay / replicas;
          versus.largest_delay_shape = fmt::format("{}, {:.2f} x its rate", shape, direct_time / native);
        }
      }
      result["shapes"].push_back(std::move(entry));
    }
    print_row(fmt::format("{}, batch {}, {} replica{}", name, batch, replicas, replicas == 1 ? "" : "s"), total_flops,
              total);
    return total;
  };

  for (const auto& network : product_networks())
    for (const int replicas : options.replicas)
      for (const int batch : options.batches) run(network.name, products(network, batch), batch, replicas);
  const auto cube = run("512 x 512 x 512", {{"-", "product", Transpose::no, Transpose::no, 512, 512, 512}}, 512, 1);

  if (versus.shapes > 0) {
    fmt::print(
        "\nnative against direct, best of {} samples each: {} of {} shapes are below 0.9 x its rate and more than "
        "10 us later;\nlargest delay per product {:+.1f} us ({})\n",
        options.effort.samples, versus.slow, versus.shapes, versus.largest_delay * 1e6, versus.largest_delay_shape);
    result["native_vs_direct"] = {{"shapes", versus.shapes},
                                  {"slow", versus.slow},
                                  {"largest_delay_us", versus.largest_delay * 1e6},
                                  {"largest_delay_shape", versus.largest_delay_shape}};
  }
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(backends.begin(), backends.end(), name) - backends.begin());
  };
  if (index("portable") < backends.size() && index("native") < backends.size())
    fmt::print("portable at 512 x 512 x 512: {:.2f} x native\n", cube[index("native")] / cube[index("portable")]);
  device.use_gemm_backend("");
  return result;
}

}  // namespace cambium::bench
